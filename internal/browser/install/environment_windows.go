package install

// platformVariables are what programs on Windows cannot start or find their own files without.
var platformVariables = []string{
	"SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA",
	"ProgramData", "ProgramFiles", "ProgramFiles(x86)", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
}

// TemporaryVariables name the directory for temporary files.
var TemporaryVariables = []string{"TMP", "TEMP"}
