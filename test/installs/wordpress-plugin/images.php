<?php
// Lets images be downloaded from the server of the test, on a port of this machine, and from nowhere else.
$of_the_test = function (string $url): bool {
    return strpos($url, IMAGES_OF_THE_TEST . '/') === 0;
};
add_filter('headless_content_may_download', fn ($may, $url) => $may || $of_the_test($url), 10, 2);
add_filter('http_request_host_is_external', fn ($is, $host, $url) => $is || $of_the_test($url), 10, 3);
add_filter('http_allowed_safe_ports', fn ($ports, $host, $url) => $of_the_test($url)
    ? [...$ports, parse_url($url, PHP_URL_PORT)] : $ports, 10, 3);

// Closes the REST API to guests on demand, as plugins for security do.
add_filter('rest_authentication_errors', fn ($result) => get_option('quay_closed') && !is_user_logged_in()
    ? new WP_Error('quay_closed', 'Sign in first', ['status' => 401]) : $result);
