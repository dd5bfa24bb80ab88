<?php
// Runs the plugin's download of an image with stubs of WordPress, and prints each request with its pin. The input is JSON:
// the URL, the addresses of each host, and the answers. As WordPress does, the stub asks for the scheme in lower case.
namespace {
    define('ABSPATH', sys_get_temp_dir() . '/no-wordpress-' . getmypid() . '/');
    @mkdir(ABSPATH . 'wp-admin/includes', 0700, true);
    touch(ABSPATH . 'wp-admin/includes/file.php');
    $trial = json_decode(stream_get_contents(STDIN), true);
    $asked = [];
    $hooks = [];

    class WP_Http
    {
        static function make_absolute_url(string $location, string $url): string
        {
            $parts = parse_url($url);
            if (strncmp($location, '//', 2) === 0) {
                return "{$parts['scheme']}:$location";
            }
            return isset(parse_url($location)['scheme']) ? $location : "{$parts['scheme']}://{$parts['host']}/" . ltrim($location, '/');
        }
    }

    function wp_tempnam(): string { return tempnam(sys_get_temp_dir(), 'image'); }
    function wp_delete_file(string $file): void { unlink($file); }
    function wp_parse_url(string $url, int $part = -1) { return parse_url($url, $part); }
    function apply_filters(string $name, $value) { return $value; }
    function wp_http_validate_url(string $url) { return $url; }
    function add_action(string $name, callable $hook): void { $GLOBALS['hooks'][] = $hook; }
    function remove_action(string $name, callable $hook): void { $GLOBALS['hooks'] = []; }
    function is_wp_error($value): bool { return false; }
    function wp_remote_retrieve_response_code(array $response): int { return $response['status']; }
    function wp_remote_retrieve_header(array $response, string $name) { return $response[$name] ?? ''; }
    function size_format(int $bytes): string { return "$bytes B"; }

    function wp_safe_remote_get(string $url, array $arguments): array
    {
        global $trial, $asked, $hooks;
        $url = preg_replace_callback('/^[a-z]+:/i', fn ($scheme) => strtolower($scheme[0]), $url);
        $asked[] = ['url' => $url, 'pin' => null];
        foreach ($hooks as $hook) {
            $hook(curl_init($url), [], $url);
        }
        $answer = array_shift($trial['answers']) ?? ['status' => 200];
        if ($answer['status'] === 200) {
            file_put_contents($arguments['filename'], base64_decode('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='));
        }
        return $answer;
    }
}

namespace HeadlessContent {
    const TIMEOUT_SECONDS = 15;

    function gethostbynamel(string $host) { return $GLOBALS['trial']['hosts'][$host] ?? false; }

    function curl_setopt($handle, int $option, $value): void
    {
        $GLOBALS['asked'][count($GLOBALS['asked']) - 1]['pin'] = $option === CURLOPT_RESOLVE ? $value : null;
    }

    foreach (['failure', 'public-address', 'images'] as $file) {
        require $argv[1] . "/includes/$file.php";
    }
    $problem = '';
    try {
        unlink(download($trial['url']));
    } catch (Failure $failure) {
        $problem = $failure->getMessage();
    }
    unlink(ABSPATH . 'wp-admin/includes/file.php');
    rmdir(ABSPATH . 'wp-admin/includes');
    rmdir(ABSPATH . 'wp-admin');
    rmdir(ABSPATH);
    echo json_encode(['asked' => $asked, 'problem' => $problem], JSON_THROW_ON_ERROR);
}
