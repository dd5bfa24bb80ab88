<?php
// Decides about one article: create a post, update it, do nothing, or ask an editor.
namespace HeadlessContent;

defined('ABSPATH') || exit;

const POST_LOCK_SECONDS = 20;

/**
 * @param bool $is_answer an editor chose the new version, so their changes are overwritten
 * @return array{what: string, why: string, post: int, again: bool}
 * @throws Failure
 */
function take(array $article, bool $is_answer = false): array
{
    $article['id'] = checked_id(text($article, 'id'));
    return with_lock('post ' . $article['id'], POST_LOCK_SECONDS, function () use ($article, $is_answer): array {
        $id = find_post($article['id']);
        $refusal = $is_answer ? '' : why_not($article);
        return $refusal === '' ? decide($id, $article, $is_answer) : outcome('left out', $refusal, $id);
    });
}

function decide(int $id, array $article, bool $is_answer): array
{
    $fields = fields_of($article);
    $digest = digest_of($fields, $article);
    $status = $id ? get_post_status($id) : '';
    $taken = $id ? read_meta($id, SOURCE) : '';
    $is_complete = $taken !== '' && $status !== 'auto-draft';
    if ($is_complete && !$is_answer) {
        if ($status === 'trash' && read_meta($id, BINNED) === '') {
            return outcome('left out', 'an editor has put it into the bin', $id);
        }
        // Another process may have imported a newer version.
        if (strcmp(text($article, 'updatedAt'), read_meta($id, UPDATED_AT)) < 0) {
            return outcome('unchanged', 'a newer version has been taken', $id);
        }
        if ($taken === $digest && $status !== 'trash') {
            withdraw_question($id);
            write_meta($id, UPDATED_AT, text($article, 'updatedAt'));
            return outcome('unchanged', '', $id);
        }
        // The bin changes the slug.
        $edited = $status === 'trash' ? [] : edited_fields($id);
        if ($edited && strpos($taken, $digest) === 0) {
            return outcome('unchanged', '', $id);
        }
        if ($edited) {
            return read_meta($id, KEPT) === $digest
                ? outcome('left out', 'an editor has kept the version that is here', $id)
                : ask('update', $id, $article['slug'], $digest, $edited);
        }
    }
    if ($status === 'trash') {
        wp_untrash_post($id);
        update_post($id, ['post_status' => 'auto-draft']);
    }
    [$id, $without] = write_post($id, $article, $fields);
    $why = $without ? 'without its image: ' . $without->getMessage() : '';
    return outcome($is_complete ? 'updated' : 'made', $why, $id, $without !== null && $without->passes);
}

/** Why an article is not imported, or empty. A post whose draft is no longer ready stays as it is. */
function why_not(array $article): string
{
    $take = settings()['take'];
    if (($article['status'] ?? '') === 'published' || $take === 'all') {
        return '';
    }
    if ($take === 'published') {
        return 'it is a draft';
    }
    return is_array($article['readiness'] ?? null) ? '' : 'it is not marked ready';
}

/** @throws Failure for an invalid id */
function checked_id(string $id): string
{
    if (!preg_match('/\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\z/', $id)) {
        throw new Failure('the content API gave an article without an id', false);
    }
    return $id;
}

function outcome(string $what, string $why, int $post, bool $again = false): array
{
    return compact('what', 'why', 'post', 'again');
}
