/**
 * Weights of losses by reason, for the order of reports: missing content first, then changed content, then minor losses.
 * Unknown reasons count as missing content.
 */

export const WEIGHTS = ['dropped', 'changed', 'minor'] as const
export type Weight = (typeof WEIGHTS)[number]

export const REASONS = {
  dropped: [
    // All sources
    'a file is not in --media',
    'guides have no such field',
    'left out',
    'left out, text in it is kept',
    'longer than a field may be: the rest is cut off',
    'no field of a post',
    'removed',
    // WordPress
    'a block is hidden, and is left out',
    'a block is made by WordPress when the page is shown, and is left out',
    'a custom field',
    'a form, which needs WordPress, is left out',
    'a page, which --pages guides would take over',
    'a reusable block has words of its own here, which are left out',
    'a reusable block is a draft, is private or has a password, and is left out',
    'a reusable block is not in this import, and is left out',
    'a reusable block that no article shows',
    'a taxonomy of a plugin or theme',
    'an entry of a menu',
    'another title for search engines is left out, since there is an ogTitle',
    'comments of readers are left out',
    'it has bytes that are not text in its encoding',
    'it has variables of the plugin',
    'its date cannot be read',
    'its footnotes cannot be read',
    'neither a post nor a page',
    'pictures of a [gallery] are not in this import',
    'reusable blocks are nested too deeply, or make it larger than 8 MiB: one is left out',
    'some types are not looked at',
    'the featured image is not in this import',
    'the featured image is taken: another for search engines is left out',
    'they are left out',
    'they cannot be counted',
    // Ghost
    'a card that is not rendered',
    'a form, which needs Ghost, is left out',
    'a part for emails only is not taken over',
    'a part for members only is not taken over',
    'a redirect by a regular expression is not taken over',
    'has no from and to',
    'not a date',
    'not taken over',
    'only names and websites are taken over',
    'only names are taken over',
    'scripts and styles of a page are not taken over',
    'the document of the editor cannot be read',
    'the export does not say who it is',
    'the export has no body of it',
    'the feature image is taken',
    'og_title is taken',
    'what the file declares, such as entities, is neither expanded nor fetched',
    'WordPress does not show its name',
    'WordPress does not show which there are besides categories and tags',
    'WordPress shows no drafts, private and scheduled ones without WORDPRESS_USER and WORDPRESS_PASSWORD',
  ],
  changed: [
    'a page that only leads elsewhere is a redirect',
    'a part of the bundle of a page, so none of its own, and put as a draft',
    'a template for new notes, and put as a draft',
    'a link leads to no article of this import',
    'a link to what it shows',
    'a redirect leads to no article of this import',
    'a redirect that was for a while is for good',
    'an atom becomes text',
    'begins like metadata, and is kept as text',
    'breaks a rule of its field, and is left to the schema bundle or the keywords',
    'an embed is a link',
    'dated in the future, and put as a draft',
    'headless, so no page of its own, and put as a draft',
    'holds what no slug has',
    'in a folder of drafts, and put as a draft',
    'it may begin with metadata that is not read, and put as a draft',
    'its date cannot be read, and put as a draft',
    'its canonical address is on another domain, but once it is published the sitemap has it',
    'its generator is told to make no page of it, and put as a draft',
    'its name or folder begins with "_", so no page of its own, and put as a draft',
    'no guide is below another',
    'kept as text',
    'not a language code',
    'renamed at the source to the slug of another article here: it keeps its own',
    'says that it is a draft, and is put as one',
    'search engines were told to leave it out, and no longer are',
    'the shortcode is one of a plugin or theme: left as text',
    'the shortcode shows nothing that is in this import: left as text',
    'the slug is taken by another article',
    'unlisted, as nothing here can be, and put as a draft',
    'it has a password: it is a draft',
    'it has no title: the first words of its body are used',
    'it has no title: the name of its file is used',
    'it has no title: the slug is used',
    'it is of a status that is not published: it is a draft',
    'it is private: it is a draft',
    'it is scheduled: it is a draft, which nothing publishes then',
    'it waits for a review: it is a draft',
    'it comes in as a draft, since its status is not known',
    'it has characters that no slug has here',
    'it is below the old site, whose address is not given',
    'it was an email only; it comes in as a draft',
    'it was never published; it comes in as a draft',
    'it was scheduled; it comes in as a draft that keeps its date',
    'not for all to read, as what is published is; it comes in as a draft',
    'its time zone is not in the file: that of other times is taken',
    'its time zone is not in the file: it is taken as UTC',
  ],
  minor: [
    "Ghost's own records are not taken over",
    'a template of the old site',
    'an author, whose name is with the posts: all else is left out',
    'an internal tag',
    'a revision',
    'another name of a note leads nowhere',
    'an upload: its file stays where it is, its page is left out',
    'how text looks is left to the styles of the site',
    'in the trash',
    'it has control characters, which are removed',
    'its pages are joined',
    'no post stays on top',
    'options of a code block are left out',
    'of a status that WordPress makes for itself',
    'there are no post formats',
  ],
} as const satisfies Record<Weight, readonly string[]>

/** The detail of a loss says which part is lost. */
export type Reason = (typeof REASONS)[Weight][number]

export type Lose = (field: string, reason: Reason, detail?: string) => void

export type LosePart = (reason: Reason, detail?: string) => void

const weights = new Map<string, Weight>(
  WEIGHTS.flatMap((weight) => REASONS[weight].map((reason) => [reason, weight] as const)),
)

export function weightOf(reason: string): Weight {
  return weights.get(reason) ?? 'dropped'
}
