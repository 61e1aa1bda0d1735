// SPDX-License-Identifier: Apache-2.0

import WirelineLanguage

/// Python's spelling of names, and the names that it or the module reserves.
extension NameStyle {
    static func python(_ description: ProtocolDescription) -> NameStyle {
        let known = pythonBuiltIns.union(PythonRuntime.names).union(pythonWords).union(moduleNames)
        // In a class, Python reads `__x` and `__x_` as private names, so a type with such a name becomes `__x__`.
        let names =
            description.messages.map { $0.alias ?? $0.name } + description.structures.map { $0.alias ?? $0.name }
            + description.enumerations.map { $0.alias ?? $0.name } + description.flagSets.map { $0.alias ?? $0.name }
            + description.unions.map { $0.alias ?? $0.name }
        let hidden = names.filter { $0.hasPrefix("__") && !$0.hasSuffix("__") }
        let reserved = known.union(hidden).union(hidden.map { $0 + "_" })
        return NameStyle(
            types: Kind(spelling: .capitalized, reserved: reserved),
            fields: Kind(spelling: .snake, reserved: pythonWords.union(classNames)),
            // `___2` cannot be a case: Python reads it as a private name of the class.
            cases: Kind(spelling: .shouting, reserved: ["_"], addsUnderscores: true),
            constants: Kind(spelling: .shouting, reserved: PythonRuntime.names),
            headerFields: Kind(spelling: .unchanged), trailing: "trailing",
            arms: Kind(spelling: .upperCamel, reserved: reserved))
    }

    /// The names that every module declares for its own protocol.
    private static let moduleNames: Set<String> = ["ClientMessage", "ServerMessage", "Message"]

    /// The names that the lines of a data class use: a field with one of them would hide it from later lines. Every
    /// class has `mro`, which would become the default of such a field.
    private static let classNames: Set<String> = [
        "bool", "bytes", "dataclasses", "dict", "float", "int", "list", "mro", "self", "str",
    ]

    /// The built-in names with a capital or an underscore, and the module's imports.
    private static let pythonBuiltIns: Set<String> = [
        "Any", "ArithmeticError", "AssertionError", "AttributeError", "BaseException", "BaseExceptionGroup",
        "BlockingIOError", "BrokenPipeError", "BufferError", "BytesWarning", "Callable", "ChildProcessError",
        "ConnectionAbortedError", "ConnectionError", "ConnectionRefusedError", "ConnectionResetError",
        "DeprecationWarning", "EOFError", "Ellipsis", "EncodingWarning", "EnvironmentError", "Exception",
        "ExceptionGroup", "Final", "FloatingPointError", "FutureWarning", "GeneratorExit", "IOError",
        "ImportError", "ImportWarning", "IndentationError", "IndexError", "InterruptedError", "IsADirectoryError",
        "Iterator", "KeyError", "KeyboardInterrupt", "Literal", "LookupError", "Mapping", "MemoryError",
        "ModuleNotFoundError", "NameError", "NotADirectoryError", "NotImplemented", "NotImplementedError", "OSError",
        "OverflowError", "PendingDeprecationWarning", "PermissionError", "ProcessLookupError", "RecursionError",
        "ReferenceError", "ResourceWarning", "RuntimeError", "RuntimeWarning", "StopAsyncIteration", "StopIteration",
        "SyntaxError", "SyntaxWarning", "SystemError", "SystemExit", "TabError", "TimeoutError", "TypeError",
        "UnboundLocalError", "UnicodeDecodeError", "UnicodeEncodeError", "UnicodeError", "UnicodeTranslateError",
        "UnicodeWarning", "UserWarning", "ValueError", "Warning", "ZeroDivisionError", "_", "__", "__all__",
        "__annotations__", "__build_class__", "__builtins__", "__cached__", "__debug__", "__dict__", "__doc__",
        "__file__", "__getattr__", "__import__", "__loader__", "__name__", "__package__", "__path__", "__spec__",
    ]

    /// The words that no variable can have.
    static let pythonWords: Set<String> = [
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
        "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
        "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
    ]
}
