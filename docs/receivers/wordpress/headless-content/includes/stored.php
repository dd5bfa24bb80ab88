<?php
// Finds posts by article id, and detects editors' changes.
namespace HeadlessContent;

defined('ABSPATH') || exit;

/** Post ids by a meta, oldest first. Bypasses the cache. */
function posts_with(string $meta, string $value, string $type = 'post'): array
{
    global $wpdb;
    $ids = $wpdb->get_col($wpdb->prepare(
        "SELECT p.ID FROM $wpdb->postmeta m JOIN $wpdb->posts p ON p.ID = m.post_id
            WHERE m.meta_key = %s AND m.meta_value = %s AND p.post_type = %s ORDER BY p.ID",
        $meta,
        $value,
        $type
    ));
    $ids = array_map('intval', $ids);
    // Another process may have written the posts in the meantime.
    array_map('clean_post_cache', $ids);
    return $ids;
}

/** 0 if the article has no post. */
function find_post(string $article): int
{
    return $article === '' ? 0 : (posts_with(ID, $article)[0] ?? 0);
}

/** Digests of the fields that an editor can change. */
function stored(int $id): array
{
    $post = get_post($id);
    $stored = [
        'title' => md5($post->post_title),
        'body' => digest_of_body($post->post_content),
        'excerpt' => md5($post->post_excerpt),
        'slug' => $post->post_name,
        'author' => (string) $post->post_author,
        'categories' => term_list($id, 'category'),
        'tags' => term_list($id, 'post_tag'),
        'image' => (string) (int) get_post_thumbnail_id($id),
    ];
    foreach (seo_metas() as $field => $meta) {
        $stored["$field in $meta"] = md5(read_meta($id, $meta));
    }
    return $stored;
}

/** The same for the values of the next write. */
function to_be_stored(int $id, array $columns, array $categories, array $tags, int $image, array $fields): array
{
    $saved = function (string $column) use ($id, $columns): string {
        return wp_unslash((string) sanitize_post_field($column, wp_slash($columns[$column]), $id, 'db'));
    };
    $stored = [
        'title' => md5($saved('post_title')),
        'body' => digest_of_body($saved('post_content')),
        'excerpt' => md5($saved('post_excerpt')),
        'slug' => $columns['post_name'],
        'author' => (string) $columns['post_author'],
        'categories' => implode(',', $categories),
        'tags' => implode(',', $tags),
        'image' => (string) $image,
    ];
    foreach (seo_metas() as $field => $meta) {
        $stored["$field in $meta"] = md5(seo_value($meta, $field, $fields));
    }
    return $stored;
}

/** Fields that match neither the last write nor an interrupted one. */
function edited_fields(int $id): array
{
    $stored = stored($id);
    $known = [read_json($id, WRITTEN), read_json($id, WRITING)];
    $edited = [];
    foreach ($stored as $field => $value) {
        // An SEO plugin that was activated later has empty fields.
        $is_known = strpos($field, ' in ') !== false && $value === md5('');
        foreach ($known as $state) {
            $was = $state[$field] ?? null;
            $is_known = $is_known || $was === $value || ($field === 'slug' && is_string($was) && is_numbered($was, $value));
        }
        if (!$is_known) {
            $edited[] = $field;
        }
    }
    return $edited;
}

/** On publication, WordPress appends a number to a slug that is taken. */
function is_numbered(string $slug, string $stored): bool
{
    return (bool) preg_match('/\A' . preg_quote($slug, '/') . '-[0-9]+\z/', $stored);
}

/** True if an editor published, scheduled or otherwise changed the status. */
function has_editors_status(int $id): bool
{
    $given = read_json($id, WRITTEN)['status'] ?? '';
    return read_meta($id, PUBLISHED) !== '' || ($given !== '' && $given !== get_post_status($id));
}

/** Runs on each status change. */
function note_publication($new, $old, $post): void
{
    if ($new !== $old && in_array($new, ['publish', 'future', 'private'], true) && !is_writing()
        && read_meta((int) $post->ID, ID) !== '') {
        write_meta((int) $post->ID, PUBLISHED, '1');
    }
}

/** HTML editors change line endings on save. */
function digest_of_body(string $html): string
{
    return md5(trim(str_replace(["\r\n", "\r"], "\n", $html)));
}

function term_list(int $post, string $taxonomy): string
{
    $terms = wp_get_object_terms($post, $taxonomy, ['fields' => 'ids']);
    $ids = is_wp_error($terms) ? [] : array_map('intval', $terms);
    sort($ids);
    return implode(',', $ids);
}
