/**
 * Heddle for Spring Boot: an auto-configured {@code ClientHttpRequestFactoryBuilder}, which Boot
 * uses for {@code RestClient}, {@code RestTemplate} and HTTP service clients.
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
 * <p>Boot's own builders read Boot's settings. Heddle's builders put Heddle's clients underneath.
 */
@NullMarked
package io.heddle.spring.boot;

import org.jspecify.annotations.NullMarked;
