// SPDX-License-Identifier: Apache-2.0

/// How Python spells names, and those that it or the module needs.
extension NameStyle {
    static let python = NameStyle(
        types: Kind(
            spelling: .capitalized,
            reserved: pythonBuiltIns.union(PythonRuntime.names).union(pythonWords).union(moduleNames)),
        fields: Kind(spelling: .snake, reserved: pythonWords.union(classNames)),
        cases: Kind(spelling: .shouting, reserved: ["_"]),
        constants: Kind(spelling: .shouting, reserved: PythonRuntime.names),
        headerFields: Kind(spelling: .unchanged), trailing: "trailing")

    /// The names that each module has with parts of its own.
    private static let moduleNames: Set<String> = ["ClientMessage", "ServerMessage", "Message"]

    /// The names that the lines of a data class use: a field with one of them would hide it from those after it. Each class has `mro`,
    /// which would be the default of such a field.
    private static let classNames: Set<String> = [
        "bool", "bytes", "dataclasses", "dict", "float", "int", "list", "mro", "self", "str",
    ]

    /// The names with a capital or an underscore that Python's code finds everywhere, or that the module imports.
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
    private static let pythonWords: Set<String> = [
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
        "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
        "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
    ]
}
