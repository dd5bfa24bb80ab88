<?php
// Featured images, downloaded once per URL.
namespace HeadlessContent;

defined('ABSPATH') || exit;

const MAX_IMAGE_BYTES = 20971520;
const MAX_IMAGE_PIXELS = 40000000;
const MAX_REDIRECTS = 3;
const IMAGE_TYPES = ['image/jpeg' => 'jpg', 'image/png' => 'png', 'image/gif' => 'gif', 'image/webp' => 'webp'];

/** @throws Failure */
function attachment_of(string $url, string $alt): int
{
    return with_lock("image $url", 60, function () use ($url, $alt): int {
        return find_attachment($url) ?: attach($url, $alt);
    });
}

/** Also removes unfinished attachments. */
function find_attachment(string $url): int
{
    foreach (posts_with(IMAGE_URL, $url, 'attachment') as $id) {
        if (get_post_status($id) !== 'auto-draft') {
            return $id;
        }
        wp_delete_attachment($id, true);
    }
    return 0;
}

/** An automatic draft until it is complete, so that WordPress cleans up if the process dies. */
function attach(string $url, string $alt): int
{
    require_once ABSPATH . 'wp-admin/includes/image.php';
    require_once ABSPATH . 'wp-admin/includes/file.php';
    require_once ABSPATH . 'wp-admin/includes/media.php';
    $file = download($url);
    try {
        $name = sanitize_file_name(rawurldecode(pathinfo((string) wp_parse_url($url, PHP_URL_PATH), PATHINFO_FILENAME)));
        $name = mb_substr($name, 0, 80) ?: 'image';
        $given = ['name' => $name . '.' . IMAGE_TYPES[image_type($file)], 'tmp_name' => $file];
        // Set explicitly, or WordPress takes them from the file's metadata.
        $texts = ['post_title' => sanitize_text_field($alt), 'post_content' => '', 'post_excerpt' => ''];
        $id = media_handle_sideload($given, 0, null, wp_slash(
            $texts + ['post_status' => 'auto-draft', 'meta_input' => [IMAGE_URL => $url]]
        ));
    } finally {
        if (file_exists($file)) {
            wp_delete_file($file);
        }
    }
    if (is_wp_error($id)) {
        throw new Failure('WordPress does not take it: ' . $id->get_error_message());
    }
    if ($alt !== '') {
        write_meta($id, '_wp_attachment_image_alt', $alt);
    }
    wp_update_post(['ID' => $id, 'post_status' => 'inherit']);
    return $id;
}

/** Downloads into a temporary file. Each redirect is checked and pinned like the first address. */
function download(string $url): string
{
    require_once ABSPATH . 'wp-admin/includes/file.php';
    $url = normal_url($url);
    $file = wp_tempnam('headless-content');
    try {
        for ($redirects = 0; ; $redirects++) {
            $response = get_from($url, public_address($url), $file);
            if (is_wp_error($response)) {
                throw new Failure('it cannot be downloaded: ' . $response->get_error_message());
            }
            $status = (int) wp_remote_retrieve_response_code($response);
            $location = wp_remote_retrieve_header($response, 'location');
            if ($status < 300 || $status > 399 || $location === '') {
                break;
            }
            if (!is_string($location)) {
                throw new Failure('it redirects to more than one address', false);
            }
            if ($redirects === MAX_REDIRECTS) {
                throw new Failure('it redirects more than ' . MAX_REDIRECTS . ' times', false);
            }
            $next = normal_url(\WP_Http::make_absolute_url($location, $url));
            if (is_https($url) && !is_https($next)) {
                throw new Failure('it redirects from https to http', false);
            }
            $url = $next;
        }
        if ($status !== 200) {
            throw new Failure("its server answered $status", $status >= 500 || $status === 429);
        }
        check_image($file);
        return $file;
    } catch (Failure $failure) {
        wp_delete_file($file);
        throw $failure;
    }
}

/** @param string $url from normal_url() @return array|\WP_Error */
function get_from(string $url, string $address, string $file)
{
    if ($address !== '' && !function_exists('curl_init')) {
        throw new Failure('PHP has no curl, without which its address cannot be checked');
    }
    // Pins the address, so that DNS cannot change it between check and request.
    $pin = function ($handle) use ($url, $address): void {
        if ($address !== '') {
            $port = wp_parse_url($url, PHP_URL_PORT) ?: (is_https($url) ? 443 : 80);
            curl_setopt($handle, CURLOPT_RESOLVE, [wp_parse_url($url, PHP_URL_HOST) . ":$port:$address"]);
        }
    };
    add_action('http_api_curl', $pin);
    try {
        return wp_safe_remote_get($url, [
            'timeout' => TIMEOUT_SECONDS,
            'redirection' => 0,
            'stream' => true,
            'filename' => $file,
            // One byte more, so that a larger file fails the size check.
            'limit_response_size' => MAX_IMAGE_BYTES + 1,
        ]);
    } finally {
        remove_action('http_api_curl', $pin);
    }
}

function is_https(string $normal_url): bool
{
    return strncmp($normal_url, 'https:', 6) === 0;
}

/** Checks the content, not the name or the server's type. */
function check_image(string $file): void
{
    clearstatcache();
    if (filesize($file) > MAX_IMAGE_BYTES) {
        throw new Failure('it is larger than ' . size_format(MAX_IMAGE_BYTES), false);
    }
    if (image_type($file) === '') {
        throw new Failure('it is not a JPEG, PNG, GIF or WebP', false);
    }
    [$width, $height] = getimagesize($file);
    if ($width * $height > MAX_IMAGE_PIXELS) {
        throw new Failure("it has $width × $height pixels", false);
    }
}

/** Empty for anything but an allowed image type. */
function image_type(string $file): string
{
    $size = @getimagesize($file);
    $type = $size && $size[0] > 0 && $size[1] > 0 ? $size['mime'] : '';
    return isset(IMAGE_TYPES[$type]) ? $type : '';
}
