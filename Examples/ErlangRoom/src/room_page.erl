%% Serves the page to browsers, with the web server of OTP. The page talks to the gateways.
-module(room_page).
-export([start/2]).

%% Starts it, and returns its port.
-spec start(file:filename(), inet:port_number()) -> {ok, inet:port_number()}.
start(Folder, Port) ->
    {ok, _} = application:ensure_all_started(inets),
    {ok, Server} = inets:start(httpd, [
        {bind_address, {127, 0, 0, 1}},
        {port, Port},
        {server_name, "127.0.0.1"},
        {server_root, Folder},
        {document_root, Folder},
        {directory_index, ["index.html"]},
        {mime_types, [{"html", "text/html"}, {"js", "text/javascript"}, {"json", "application/json"}]},
        {modules, [mod_alias, mod_dir, mod_get, mod_head]}
    ]),
    [{port, Chosen}] = httpd:info(Server, [port]),
    {ok, Chosen}.
