<?php
// Requests to the content API. An administrator sets its address, so any host is allowed.
namespace HeadlessContent;

defined('ABSPATH') || exit;

const TIMEOUT_SECONDS = 15;
/** Above the API's largest answer. */
const MAX_ANSWER_BYTES = 10485760;

/**
 * @return array{status: int, body: array, etag: string, retry_after: int, problem: string} `status` is 0 without an
 *   answer. `problem` is empty for 200 and 304
 */
function ask_service(string $path, array $query = [], string $etag = ''): array
{
    $settings = settings();
    $url = $settings['base_url'] . '/sites/' . rawurlencode($settings['site_id']) . $path;
    $headers = ['Authorization' => 'Bearer ' . $settings['api_key'], 'Accept' => 'application/json'];
    if ($etag !== '') {
        $headers['If-None-Match'] = $etag;
    }
    $response = wp_remote_get($query ? $url . '?' . http_build_query($query) : $url, [
        'headers' => $headers,
        'timeout' => TIMEOUT_SECONDS,
        // A redirect would send the key to another address.
        'redirection' => 0,
        'limit_response_size' => MAX_ANSWER_BYTES,
        'user-agent' => 'headless-content (WordPress plugin)',
    ]);
    if (is_wp_error($response)) {
        return answer(0, 'no answer from the content API: ' . $response->get_error_message());
    }
    $status = (int) wp_remote_retrieve_response_code($response);
    $body = json_decode(wp_remote_retrieve_body($response), true);
    $etag = (string) wp_remote_retrieve_header($response, 'etag');
    if ($status === 304 || ($status === 200 && is_array($body))) {
        return answer($status, '', is_array($body) ? $body : [], $etag);
    }
    $said = is_array($body) && is_string($body['error'] ?? null) ? $body['error'] : 'no error that can be read';
    $retry_after = retry_after((string) wp_remote_retrieve_header($response, 'retry-after'));
    return answer($status === 200 ? 0 : $status, "the content API answered $status: $said", [], '', $retry_after);
}

function answer(int $status, string $problem, array $body = [], string $etag = '', int $retry_after = 0): array
{
    return compact('status', 'body', 'etag', 'retry_after', 'problem');
}

/** Seconds. The header has seconds or a date. */
function retry_after(string $header): int
{
    $seconds = preg_match('/\A[0-9]{1,9}\z/', $header) ? (int) $header : (int) strtotime($header) - time();
    return max(0, min($seconds, 2 * DAY_IN_SECONDS));
}

/** Null for an unknown slug. @throws Failure */
function fetch_article(string $slug): ?array
{
    $answer = ask_service('/posts/' . rawurlencode($slug), ['include' => 'metadata,readiness']);
    if ($answer['status'] === 404) {
        return null;
    }
    if ($answer['problem'] !== '') {
        throw new Failure($answer['problem']);
    }
    return $answer['body'];
}
