<?php
// Writes an article into a post. After a crash, the next run continues without a second post, and does not take its own
// half-written post for an editor's change.
namespace HeadlessContent;

defined('ABSPATH') || exit;

/** True while the plugin itself changes a post. */
function is_writing(?bool $now = null): bool
{
    static $is = false;
    $is = $now ?? $is;
    return $is;
}

/**
 * Returns the post's id, and the reason for a missing image.
 *
 * @return array{0: int, 1: ?Failure}
 * @throws Failure
 */
function write_post(int $id, array $article, array $fields): array
{
    [$image, $without] = image_for($id, $fields);
    is_writing(true);
    try {
        return [write_fields($id ?: begin_post($article), $article, $fields, $image, $without), $without];
    } finally {
        is_writing(false);
    }
}

/** Nobody sees an automatic draft. WordPress removes it after a week if the article never comes. */
function begin_post(array $article): int
{
    check_lock('post ' . $article['id']);
    $id = wp_insert_post(['post_type' => 'post', 'post_status' => 'auto-draft', 'post_title' => 'Headless Content'], true);
    if (is_wp_error($id)) {
        throw new Failure('WordPress does not take it: ' . $id->get_error_message());
    }
    write_meta($id, ID, $article['id']);
    write_meta($id, SITE, settings()['site_id']);
    return $id;
}

function write_fields(int $id, array $article, array $fields, int $image, ?Failure $without): int
{
    $language = language_of($article);
    $categories = category_ids($fields['categories'], $language);
    $tags = term_ids($fields['tags'], 'post_tag', $language);
    $columns = [
        'post_title' => $fields['title'],
        'post_content' => $fields['body'],
        'post_excerpt' => $fields['excerpt'],
        'post_name' => $fields['slug'],
        'post_author' => author_id($fields['authors']),
    ];
    check_lock('post ' . $article['id']);
    write_meta($id, WRITING, (string) wp_json_encode(to_be_stored($id, $columns, $categories, $tags, $image, $fields)));
    update_post($id, $columns);
    write_language($id, $article, $language);
    wp_set_post_terms($id, $categories, 'category');
    wp_set_post_terms($id, $tags, 'post_tag');
    $image ? set_post_thumbnail($id, $image) : delete_post_thumbnail($id);
    write_seo($id, $fields);

    $is_new = in_array(get_post_status($id), ['auto-draft', 'trash'], true);
    $status = $is_new ? settings()['status'] : (read_json($id, WRITTEN)['status'] ?? get_post_status($id));
    note_written($id, $status);
    write_meta($id, SOURCE, digest_of($fields, $article) . ($without && $without->passes ? ' without its image' : ''));
    write_meta($id, UPDATED_AT, text($article, 'updatedAt'));
    foreach ([WRITING, QUESTION, KEPT, BINNED] as $meta) {
        delete_post_meta($id, $meta);
    }
    if ($is_new) {
        update_post($id, ['post_status' => $status] + dates_of($article, $status));
        // Other plugins may change fields on publication.
        note_written($id, $status);
    }
    return $id;
}

/** The baseline for editors' changes. */
function note_written(int $id, string $status): void
{
    write_meta($id, WRITTEN, (string) wp_json_encode(stored($id) + ['status' => $status]));
}

function update_post(int $id, array $columns): void
{
    $slug = $columns['post_name'] ?? get_post_field('post_name', $id);
    // WordPress empties a pending post's slug if the user may not publish it.
    $keep = function (array $data) use ($slug): array {
        return $data['post_name'] === '' ? ['post_name' => wp_slash($slug)] + $data : $data;
    };
    add_filter('wp_insert_post_data', $keep);
    $result = wp_update_post(wp_slash(['ID' => $id] + $columns), true);
    remove_filter('wp_insert_post_data', $keep);
    if (is_wp_error($result)) {
        throw new Failure('WordPress does not take it: ' . $result->get_error_message());
    }
}

/** Keeps the original date of a published article, unless it is in the future. */
function dates_of(array $article, string $status): array
{
    $at = strtotime(text($article, 'publishedAt'));
    if ($status !== 'publish' || !$at || $at > time()) {
        return [];
    }
    $gmt = gmdate('Y-m-d H:i:s', $at);
    return ['post_date_gmt' => $gmt, 'post_date' => get_date_from_gmt($gmt), 'edit_date' => true];
}

/** The attachment, and the reason if the download failed. A failed download keeps the old image. */
function image_for(int $id, array $fields): array
{
    if ($fields['image'] === '') {
        return [0, null];
    }
    try {
        return [attachment_of($fields['image'], $fields['alt']), null];
    } catch (Failure $failure) {
        return [$id ? (int) get_post_thumbnail_id($id) : 0, $failure];
    }
}
