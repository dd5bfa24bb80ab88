<?php
// Runs the plugin's webhook endpoint and its warnings with stubs of WordPress. The input is JSON: headers and body of each event,
// what the endpoint answers to the plugin itself, and the structure of the permalinks. Prints what was logged and whether the sync woke.
namespace {
    define('ABSPATH', __DIR__);
    $trial = json_decode(stream_get_contents(STDIN), true);
    $options = ['headless_content_settings' => $trial['settings'], 'permalink_structure' => $trial['permalinks']];
    $log = [];
    $wakes = 0;

    class WP_REST_Request
    {
        public function __construct(private array $event) {}
        public function get_body(): string { return $this->event['body']; }
        public function get_header(string $name): ?string { return $this->event['headers'][$name] ?? null; }
    }

    class WP_REST_Response
    {
        public function __construct(public ?array $data, public int $status) {}
    }

    class WP_Error
    {
        public int $status;
        public function __construct(public string $code, private string $message = '', array $data = []) { $this->status = $data['status'] ?? 0; }
        public function get_error_message(): string { return $this->message; }
    }

    function get_option(string $name, $default = false) { return $GLOBALS['options'][$name] ?? $default; }
    function rest_url(string $route): string { return get_option('permalink_structure') ? "https://quay.example/wp-json/$route" : "https://quay.example/index.php?rest_route=/$route"; }
    function apply_filters(string $name, $value) { return $value; }
    function is_wp_error($value): bool { return $value instanceof WP_Error; }
    function wp_remote_request(string $url, array $arguments) { return is_string($GLOBALS['trial']['reach']) ? new WP_Error('http', $GLOBALS['trial']['reach']) : $GLOBALS['trial']['reach']; }
    function wp_remote_retrieve_response_code(array $response): int { return $response['status']; }
    function wp_remote_retrieve_body(array $response): string { return $response['body']; }
}

namespace HeadlessContent {
    foreach (['options', 'route', 'settings-page'] as $file) {
        require $argv[1] . "/includes/$file.php";
    }
    function record(string $what, string $why = '', string $slug = ''): void { $GLOBALS['log'][] = [$what, $why, $slug]; }
    function wake(): void { $GLOBALS['wakes']++; }

    $statuses = array_map(fn ($event) => receive_event(new \WP_REST_Request($event))->status, $trial['events']);
    echo json_encode(['statuses' => $statuses, 'log' => $log, 'wakes' => $wakes, 'warnings' => webhook_warnings()], JSON_THROW_ON_ERROR);
}
