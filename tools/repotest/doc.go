// Package repotest holds the repository to its own rules: who imports whom, where package comments stand,
// what is generated, and how long a file may be. It has tests alone.
package repotest
