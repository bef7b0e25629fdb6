package main

import (
	"github.com/spf13/pflag"
	"k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/options"
)

// newDelegating makes the options of a server behind a main server: RecommendedOptions, without the storage, the admission and the egress that notes
// have no use for.
func newDelegating() *options.RecommendedOptions {
	delegating := options.NewRecommendedOptions("", codecs.LegacyCodec(groupVersion))
	delegating.Etcd = nil
	delegating.Admission = nil
	delegating.EgressSelector = nil
	return delegating
}

// addDelegatingFlags adds the flags of the parts that the server without a main server does not have.
func addDelegatingFlags(delegating *options.RecommendedOptions, flags *pflag.FlagSet) {
	delegating.Authentication.AddFlags(flags)
	delegating.Authorization.AddFlags(flags)
	delegating.CoreAPI.AddFlags(flags)
	delegating.Features.AddFlags(flags)
}

// delegatingConfig asks the main server who a client is and what it may, and takes its FlowSchemas.
func delegatingConfig(delegating *options.RecommendedOptions, serving *options.SecureServingOptions) (server.CompletedConfig, error) {
	config := server.NewRecommendedConfig(codecs)
	describeAPI(&config.Config)
	delegating.SecureServing = serving.WithLoopback()
	if err := delegating.ApplyTo(config); err != nil {
		return server.CompletedConfig{}, err
	}
	return config.Complete(), nil
}
