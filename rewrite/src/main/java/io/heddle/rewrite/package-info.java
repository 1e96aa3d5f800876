/**
 * OpenRewrite recipes that put Heddle in place of the stock HTTP clients.
 *
 * <p>{@code META-INF/rewrite/heddle.yml} makes the recipes that users name of the classes here,
 * which change code, and of OpenRewrite's own, which add dependencies:
 *
 * <pre>
 *   io.heddle.MigrateToHeddle
 *     +- io.heddle.MigrateApacheHttpClient   UseBlockingHttpClients
 *     +- io.heddle.MigrateJetty              UseBlockingJettyClient
 *     +- io.heddle.MigrateAsyncHttpClient    UseBlockingAhcClient
 *     +- io.heddle.MigrateOkHttp             WrapOkHttpClient
 *     +- io.heddle.MigrateJdkHttpClient      WrapJdkHttpClient
 *     +- io.heddle.MigrateJersey             UseHeddleConnector
 * </pre>
 *
 * <p>What has no counterpart stays as it is, with a comment that says why: the outcome compiles,
 * and no setting is lost. So does code whose library is older than Heddle needs. Only Java sources
 * are changed. A second run changes nothing.
 */
@NullMarked
package io.heddle.rewrite;

import org.jspecify.annotations.NullMarked;
