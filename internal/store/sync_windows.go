package store

// syncDir does nothing: Windows writes renames out by itself.
func syncDir(string) error { return nil }
