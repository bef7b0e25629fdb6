package main

import (
	"bytes"
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

// reencoded reads every list of the cluster and writes it again as Go's generated code does.
func (c *clients) reencoded(ctx context.Context) error {
	serializer := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	total := 0
	for _, path := range []string{
		"/api/v1/configmaps",
		"/api/v1/namespaces",
		"/api/v1/nodes",
		"/api/v1/pods",
		"/api/v1/secrets",
		"/api/v1/serviceaccounts",
		"/api/v1/services",
		"/apis/apps/v1/deployments",
		"/apis/coordination.k8s.io/v1/leases",
		"/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
		"/apis/networking.k8s.io/v1/servicecidrs",
		"/apis/rbac.authorization.k8s.io/v1/clusterroles",
		"/apis/rbac.authorization.k8s.io/v1/rolebindings",
		"/apis/scheduling.k8s.io/v1/priorityclasses",
	} {
		given, err := c.kubernetes.CoreV1().RESTClient().Get().AbsPath(path).Do(ctx).Raw()
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		object, _, err := serializer.Decode(given, nil, nil)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		var written bytes.Buffer
		if err := serializer.Encode(object, &written); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if !bytes.Equal(given, written.Bytes()) {
			return fmt.Errorf("%s: Go writes it in %d other bytes, not in %d", path, written.Len(), len(given))
		}
		total += len(given)
	}
	return equal(total > 50_000, true)
}
