import type { Errors, Values } from '../../forms/form.ts'
import { addQuery } from '../../parent-list.ts'
import { TextAreaField } from '../../parts/fields/field.tsx'
import { HiddenFields } from '../../parts/fields/form.tsx'
import { FRAMED } from '../preview.tsx'
import { FORMATS, type Format } from './format.ts'
import { HtmlProblems, listNames } from './html-problems.tsx'
import { MARKDOWN } from './markdown.ts'

type ContentProps = {
  /** The paths that the form and its preview post to. */
  action: string
  preview: string
  isNew: boolean
  values: Values
  lost: string[]
  errors: Errors
}

/** The script updates the preview while people type, and fills the toolbar. Without it a button shows the preview. */
export function ContentField({ action, preview, isNew, values, lost, errors }: ContentProps) {
  const isMarkdown = MARKDOWN in values
  const { contentHtml = '' } = values
  const field = isMarkdown
    ? { name: MARKDOWN, value: values[MARKDOWN] }
    : { name: 'contentHtml', value: contentHtml }
  return (
    <div class="edit-content">
      <div>
        {isMarkdown && <HiddenFields form={[['contentHtml', contentHtml]]} />}
        <TextAreaField
          {...field}
          label="Content"
          error={errors.contentHtml}
          rows={20}
          placeholder={`Write in ${FORMATS[isMarkdown ? 'markdown' : 'html']}…`}
          spellcheck={isMarkdown}
          {...(!isNew && Object.keys(errors).length === 0 && { autofocus: true })}
          above={
            <>
              <div class="edit-toolbar" />
              <fieldset class="edit-formats" aria-label="Format">
                <FormatButton action={action} as="html" isShown={!isMarkdown} />
                <FormatButton action={action} as="markdown" isShown={isMarkdown} />
              </fieldset>
              {lost.length > 0 && (
                <p class="problems" role="status">
                  {isMarkdown
                    ? `Markdown cannot keep ${listNames(lost)}. Saving an edit made here removes them.`
                    : `Left out: ${listNames(lost)}.`}
                </p>
              )}
            </>
          }
        />
        {!isMarkdown && <HtmlProblems html={contentHtml} />}
      </div>
      <div>
        <div class="ends">
          <h2>Preview</h2>
          <button
            type="submit"
            class="button small without-script"
            formaction={preview}
            formtarget="preview"
            formnovalidate
          >
            Update preview
          </button>
        </div>
        <iframe
          name="preview"
          class="preview"
          src={isNew ? undefined : addQuery(preview, FRAMED)}
          title="Preview of the content"
          sandbox=""
        />
      </div>
    </div>
  )
}

type FormatButtonProps = { action: string; as: Format; isShown: boolean }

/** Shows the form with the content in the other format, and everything else as typed. */
function FormatButton({ action, as, isShown }: FormatButtonProps) {
  const switching = { type: 'submit', formaction: `${action}?as=${as}`, formnovalidate: true } as const
  return (
    <button {...(isShown ? { type: 'button' } : switching)} aria-pressed={isShown ? 'true' : 'false'}>
      {FORMATS[as]}
    </button>
  )
}
