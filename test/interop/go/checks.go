package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// A check answers what it saw that was wrong.
type check func(ctx context.Context) error

// run prints one line of JSON: the check's name, whether it passed, and otherwise the client's own error.
func run(name string, body check) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	line := struct {
		Name   string `json:"name"`
		OK     bool   `json:"ok"`
		Detail string `json:"detail"`
	}{Name: name, OK: true}
	if err := body(ctx); err != nil {
		line.OK = false
		line.Detail = fmt.Sprintf("%T: %v", err, err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		panic(err)
	}
}

func equal[T comparable](got, want T) error {
	if got != want {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	return nil
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
