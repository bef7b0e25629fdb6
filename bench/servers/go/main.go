// Serves the kind Note of bench.example.com/v1 by k8s.io/apiserver, in memory: without a main server and with all rights for
// everybody, as ../ours.mjs does; with a kubeconfig behind a main server, which knows the users, their rights and the FlowSchemas.
//
//	kubets-bench-servers-go --secure-port=PORT [--tls-cert-file=FILE --tls-private-key-file=FILE]
//	  [--kubeconfig=FILE --authentication-kubeconfig=FILE --authorization-kubeconfig=FILE]
package main

import (
	"fmt"
	"net"
	"os"

	"github.com/spf13/pflag"
	"k8s.io/apiserver/pkg/authentication/request/anonymous"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/endpoints/openapi"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/util/compatibility"
)

const name = "notes-server"

func main() {
	serving := options.NewSecureServingOptions()
	serving.BindAddress = net.IPv4(127, 0, 0, 1)
	// A certificate that no flag names stays in memory.
	serving.ServerCert = options.GeneratableKeyCert{}
	serving.AddFlags(pflag.CommandLine)
	delegating := newDelegating()
	addDelegatingFlags(delegating, pflag.CommandLine)
	pflag.Parse()
	if err := run(serving, delegating); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run serves until the process gets SIGTERM or SIGINT.
func run(serving *options.SecureServingOptions, delegating *options.RecommendedOptions) error {
	config, err := configOf(serving, delegating)
	if err != nil {
		return err
	}
	notesServer, err := config.New(name, server.NewEmptyDelegate())
	if err != nil {
		return err
	}
	group := server.NewDefaultAPIGroupInfo(groupVersion.Group, scheme, parameterCodec, codecs)
	group.VersionedResourcesStorageMap[groupVersion.Version] = map[string]rest.Storage{"notes": newStorage()}
	if err := notesServer.InstallAPIGroup(&group); err != nil {
		return err
	}
	return notesServer.PrepareRun().RunWithContext(server.SetupSignalContext())
}

func configOf(serving *options.SecureServingOptions, delegating *options.RecommendedOptions) (server.CompletedConfig, error) {
	none := server.CompletedConfig{}
	err := serving.MaybeDefaultWithSelfSignedCerts("localhost", nil, []net.IP{net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return none, err
	}
	if delegating.CoreAPI.CoreAPIKubeconfigPath != "" {
		return delegatingConfig(delegating, serving)
	}
	config := server.NewConfig(codecs)
	describeAPI(config)
	if err := serving.WithLoopback().ApplyToConfig(config); err != nil {
		return none, err
	}
	config.Authentication.Authenticator = anonymous.NewAuthenticator(nil)
	config.Authorization.Authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()
	return config.Complete(nil), nil
}

func describeAPI(config *server.Config) {
	config.EffectiveVersion = compatibility.DefaultBuildEffectiveVersion()
	namer := openapi.NewDefinitionNamer(scheme)
	config.OpenAPIConfig = server.DefaultOpenAPIConfig(definitions, namer)
	config.OpenAPIV3Config = server.DefaultOpenAPIV3Config(definitions, namer)
}
