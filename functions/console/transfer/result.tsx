import { PageHeading, Section } from '../parts/heading.tsx'
import { Notice } from '../parts/notice.tsx'
import { formatQuantity } from '../parts/quantity.ts'
import { ButtonLink } from '../parts/site-link.tsx'
import { Table } from '../parts/table.tsx'
import type { ImportResult, Put } from './import.ts'

const MAX_SHOWN = 500

type Checked = {
  result: ImportResult
  path: string
  file: { text: string; sendEvents: boolean; settings: boolean }
}

/** Carries the file in a field: a browser would ask for it again. */
export function CheckResult({ result, path, file }: Checked) {
  const [created, known] = [count(result, 'created'), count(result, 'updated')]
  return (
    <>
      <PageHeading title="Import preview" lead="Nothing has been imported yet." />
      <Notice tone={result.refused.length > 0 ? 'warning' : 'info'}>
        Would create {formatQuantity(created, 'article')}, update {formatQuantity(known, 'article')} with the
        same slug where they differ, and refuse {formatQuantity(result.refused.length, 'line')}.
        <Rest rest={result.rest} />
      </Notice>
      <form method="post" action={path} enctype="multipart/form-data">
        <textarea name="file" hidden autocomplete="off">{`\n${file.text}`}</textarea>
        {file.sendEvents && <input type="hidden" name="events" value="on" />}
        {file.settings && <input type="hidden" name="settings" value="on" />}
        <div class="actions">
          <button type="submit" name="do" value="import" class="button primary" data-busy="Importing…">
            Import
          </button>
          <ButtonLink to="/settings/transfer" text="Cancel" />
        </div>
      </form>
      <LeftOut result={result} refused="Would be refused" />
      <Articles title="Would be created" put={result.put.filter(({ outcome }) => outcome === 'created')} />
      <Articles title="Would be updated" put={result.put.filter(({ outcome }) => outcome !== 'created')} />
    </>
  )
}

export function ImportedResult({ result }: { result: ImportResult }) {
  const { refused, rest } = result
  return (
    <>
      <PageHeading title="Import finished" />
      <Notice tone={refused.length > 0 ? 'warning' : 'success'}>
        {formatQuantity(count(result, 'created'), 'article')} created, {count(result, 'updated')} updated,{' '}
        {count(result, 'unchanged')} unchanged, {formatQuantity(refused.length, 'line')} refused.
        <Rest rest={rest} />
      </Notice>
      <LeftOut result={result} refused="Refused" />
      <div class="actions">
        <ButtonLink to="/content" text="Content" look="primary" />
        <ButtonLink to="/settings/transfer" text="Import another" />
      </div>
    </>
  )
}

const count = ({ put }: ImportResult, outcome: Put['outcome']) =>
  put.filter((each) => each.outcome === outcome).length

const NAMES: Record<string, string> = {
  redirects: 'Redirects',
  trainingRows: 'Training rows',
  settings: 'Settings',
  renamed: 'Renamed',
  eventsNotSent: 'Events not sent',
}

function Rest({ rest }: { rest: ImportResult['rest'] }) {
  const shown = Object.entries(rest).filter(([name]) => Object.hasOwn(NAMES, name))
  return <>{shown.map(([name, value]) => ` ${NAMES[name]}: ${value}.`)}</>
}

function LeftOut({ result: { refused, lost }, refused: title }: { result: ImportResult; refused: string }) {
  return (
    <>
      <Lines id="refused" title={title} lines={refused} />
      <Lines id="lost" title="Not imported" lines={lost} />
    </>
  )
}

type LinesProps = { id: string; title: string; lines: ImportResult['refused'] }

function Lines({ id, title, lines }: LinesProps) {
  if (lines.length === 0) return null
  return (
    <Section id={id} title={title} lead={more(lines.length)}>
      <Table
        label={title}
        columns={['Line', 'Reason']}
        rows={lines.slice(0, MAX_SHOWN).map(({ line, reason }) => [line, reason])}
      />
    </Section>
  )
}

function Articles({ title, put }: { title: string; put: Put[] }) {
  if (put.length === 0) return null
  return (
    <details>
      <summary>
        {title}: {formatQuantity(put.length, 'article')}
      </summary>
      <p class="muted">{more(put.length)}</p>
      <Table
        label={title}
        columns={['Line', 'Kind', 'Slug']}
        rows={put
          .slice(0, MAX_SHOWN)
          .map(({ file, kind, slug }) => [
            file,
            kind === 'posts' ? 'Post' : 'Guide',
            <code dir="auto">{slug}</code>,
          ])}
      />
    </details>
  )
}

const more = (all: number) =>
  all > MAX_SHOWN ? `The first ${MAX_SHOWN} of ${all.toLocaleString('en')}.` : undefined
