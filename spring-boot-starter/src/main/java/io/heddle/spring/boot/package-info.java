/**
 * Heddle for Spring Boot: an auto-configured {@code ClientHttpRequestFactoryBuilder}, over which
 * Boot's {@code RestClient}, {@code RestTemplate} and HTTP service clients run.
 *
 * <pre>
 * spring.http.clients.*            heddle.http.client.*
 *   HttpClientSettings               HeddleHttpClientProperties
 *        │                                   │
 *        ▼  build(settings)                  ▼
 * Boot's RestClient.Builder ──► ApacheRequestFactoryBuilder ──► HttpComponentsClientHttpRequestFactory
 *   and the others              JettyRequestFactoryBuilder      JettyRequestFactory
 *                               JdkRequestFactoryBuilder        JdkClientHttpRequestFactory
 *                                        │ close(), with the application context
 *                                        ▼
 *                               what they have opened
 * </pre>
 *
 * <p>Boot's own builders read Boot's settings; ours put Heddle's engine under what they make.
 */
@NullMarked
package io.heddle.spring.boot;

import org.jspecify.annotations.NullMarked;
