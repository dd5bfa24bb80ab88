<?php
// One article written into one post, so that wherever the process dies, the next one goes on without a second post and
// without taking its own half for an editor's change.
namespace HeadlessContent;

defined('ABSPATH') || exit;

/** Whether the change of a post that WordPress tells of is ours. */
function is_writing(?bool $now = null): bool
{
    static $is = false;
    $is = $now ?? $is;
    return $is;
}

/**
 * Returns the post's id, and why it has no image if it has none.
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

/** An automatic draft is not shown to anybody; WordPress removes it after a week if its article never comes. */
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
        // Other plugins may have changed something as it was shown first.
        note_written($id, $status);
    }
    return $id;
}

/** What an editor's changes are compared with. */
function note_written(int $id, string $status): void
{
    write_meta($id, WRITTEN, (string) wp_json_encode(stored($id) + ['status' => $status]));
}

function update_post(int $id, array $columns): void
{
    $slug = $columns['post_name'] ?? get_post_field('post_name', $id);
    // WordPress empties the slug of one that is pending where no user could publish it.
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

/** One that is published with its first date, if that is not to come. */
function dates_of(array $article, string $status): array
{
    $at = strtotime(text($article, 'publishedAt'));
    if ($status !== 'publish' || !$at || $at > time()) {
        return [];
    }
    $gmt = gmdate('Y-m-d H:i:s', $at);
    return ['post_date_gmt' => $gmt, 'post_date' => get_date_from_gmt($gmt), 'edit_date' => true];
}

/** The attachment, or 0 and why. The one it has stays if a new one cannot be downloaded. */
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
