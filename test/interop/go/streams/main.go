// Runs commands in the pod "web" of the namespace "default" and forwards its port 7, by client-go, over both of its protocols. Prints a
// line of JSON for each check, as the program beside it does.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/transport/spdy"
	clientexec "k8s.io/client-go/util/exec"
	"k8s.io/streaming/pkg/httpstream"

	corev1 "k8s.io/api/core/v1"
)

const connections = 100

// way is one of client-go's two protocols.
type way struct {
	name      string
	webSocket bool
	config    *rest.Config
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, one := range []way{{"a WebSocket", true, config}, {"SPDY", false, config}} {
		report("20 MB go through a command unchanged over "+one.name, one.echo())
		report("a command's outputs and exit code arrive over "+one.name, one.exitCode())
		report("a terminal has its size over "+one.name, one.size())
		report("a command that is not there is an error over "+one.name, one.missing())
		report("100 connections go through a forwarded port at once over "+one.name, one.forward())
		report("a port without a listener is an error over "+one.name, one.refused())
	}
}

func report(name string, err error) {
	detail := ""
	if err != nil {
		detail = err.Error()
	}
	line, _ := json.Marshal(map[string]any{"name": name, "ok": err == nil, "detail": detail})
	fmt.Println(string(line))
}

func (w way) location(subresource string, options *corev1.PodExecOptions) (*url.URL, error) {
	parsed, err := url.Parse(w.config.Host + "/api/v1/namespaces/default/pods/web/" + subresource)
	if err != nil || options == nil {
		return parsed, err
	}
	values, err := scheme.ParameterCodec.EncodeParameters(options, corev1.SchemeGroupVersion)
	parsed.RawQuery = values.Encode()
	return parsed, err
}

func (w way) run(command []string, streams remotecommand.StreamOptions) error {
	location, err := w.location("exec", &corev1.PodExecOptions{
		Command: command,
		Stdin:   streams.Stdin != nil,
		Stdout:  streams.Stdout != nil,
		Stderr:  streams.Stderr != nil,
		TTY:     streams.Tty,
	})
	if err != nil {
		return err
	}
	var executor remotecommand.Executor
	if w.webSocket {
		executor, err = remotecommand.NewWebSocketExecutor(w.config, "GET", location.String())
	} else {
		executor, err = remotecommand.NewSPDYExecutor(w.config, "POST", location)
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	return executor.StreamWithContext(ctx, streams)
}

func (w way) echo() error {
	sent := make([]byte, 20_000_000)
	rand.Read(sent)
	var got bytes.Buffer
	if err := w.run([]string{"cat"}, remotecommand.StreamOptions{Stdin: bytes.NewReader(sent), Stdout: &got}); err != nil {
		return err
	}
	if !bytes.Equal(sent, got.Bytes()) {
		return fmt.Errorf("%d bytes came back, or others", got.Len())
	}
	return nil
}

func (w way) exitCode() error {
	var stdout, stderr bytes.Buffer
	command := []string{"sh", "-c", "echo out; echo err >&2; exit 7"}
	err := w.run(command, remotecommand.StreamOptions{Stdout: &stdout, Stderr: &stderr})
	var exit clientexec.CodeExitError
	if !errors.As(err, &exit) || exit.Code != 7 || stdout.String() != "out\n" || stderr.String() != "err\n" {
		return fmt.Errorf("%v, %q, %q", err, stdout.String(), stderr.String())
	}
	return nil
}

// sizes gives one size, and then none for as long as the command runs.
type sizes struct{ given bool }

func (s *sizes) Next() *remotecommand.TerminalSize {
	if s.given {
		time.Sleep(time.Minute)
		return nil
	}
	s.given = true
	return &remotecommand.TerminalSize{Width: 132, Height: 50}
}

func (w way) size() error {
	var stdout bytes.Buffer
	command := []string{"sh", "-c", "sleep 0.3; stty size"}
	streams := remotecommand.StreamOptions{Stdin: strings.NewReader(""), Stdout: &stdout, Tty: true, TerminalSizeQueue: &sizes{}}
	if err := w.run(command, streams); err != nil {
		return err
	}
	if strings.TrimSpace(stdout.String()) != "50 132" {
		return fmt.Errorf("%q", stdout.String())
	}
	return nil
}

func (w way) missing() error {
	var stdout bytes.Buffer
	err := w.run([]string{"no-such-program"}, remotecommand.StreamOptions{Stdout: &stdout})
	if err == nil || !strings.Contains(err.Error(), "no-such-program") {
		return fmt.Errorf("the error is %v", err)
	}
	return nil
}

// forwarding starts a port-forward and gives its local address and the function that ends it.
func (w way) forwarding(port string, errOut io.Writer) (string, func() error, error) {
	location, err := w.location("portforward", nil)
	if err != nil {
		return "", nil, err
	}
	var dialer httpstream.Dialer
	if w.webSocket {
		dialer, err = portforward.NewSPDYOverWebsocketDialerForStreaming(location, w.config)
	} else {
		var transport http.RoundTripper
		var upgrader spdy.Upgrader
		transport, upgrader, err = spdy.RoundTripperFor(w.config)
		dialer = spdy.NewDialerForStreaming(upgrader, &http.Client{Transport: transport}, "POST", location)
	}
	if err != nil {
		return "", nil, err
	}
	stop, ready, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	forwarder, err := portforward.NewOnAddressesForStreaming(dialer, []string{"127.0.0.1"}, []string{"0:" + port}, stop, ready, io.Discard, errOut)
	if err != nil {
		return "", nil, err
	}
	go func() { done <- forwarder.ForwardPorts() }()
	select {
	case <-ready:
	case err := <-done:
		return "", nil, err
	}
	ports, err := forwarder.GetPorts()
	if err != nil {
		return "", nil, err
	}
	end := func() error {
		close(stop)
		return <-done
	}
	return fmt.Sprintf("127.0.0.1:%d", ports[0].Local), end, nil
}

func (w way) forward() error {
	address, end, err := w.forwarding("7", io.Discard)
	if err != nil {
		return err
	}
	failures := make(chan error, connections)
	for range connections {
		go func() { failures <- echoThrough(address) }()
	}
	for range connections {
		if failure := <-failures; failure != nil {
			err = failure
		}
	}
	return errors.Join(err, end())
}

func echoThrough(address string) error {
	connection, err := net.DialTimeout("tcp", address, 20*time.Second)
	if err != nil {
		return err
	}
	defer connection.Close()
	sent := make([]byte, 200_000)
	rand.Read(sent)
	go func() {
		connection.Write(sent)
		connection.(*net.TCPConn).CloseWrite()
	}()
	got, err := io.ReadAll(connection)
	if err == nil && !bytes.Equal(sent, got) {
		err = fmt.Errorf("%d bytes came back, or others", len(got))
	}
	return err
}

func (w way) refused() error {
	address, end, err := w.forwarding("8", io.Discard)
	if err != nil {
		return err
	}
	connection, err := net.DialTimeout("tcp", address, 20*time.Second)
	if err != nil {
		return err
	}
	connection.SetDeadline(time.Now().Add(20 * time.Second))
	got, err := io.ReadAll(connection)
	connection.Close()
	if len(got) > 0 {
		return fmt.Errorf("%q came from a port without a listener", got)
	}
	if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
		return errors.New("the connection stays open")
	}
	// client-go gives the port-forward up after such an error.
	if ended := end(); ended != nil && !errors.Is(ended, portforward.ErrLostConnectionToPod) {
		return ended
	}
	return nil
}
