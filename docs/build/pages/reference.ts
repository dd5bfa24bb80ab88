/** The reference: an HTML page without scripts for each OpenAPI document, written before each start and deployment. */
import { readFile } from 'node:fs/promises'
import { html, raw } from 'hono/html'
import { inlineHtml } from './page.ts'
import {
  type Document,
  type Operation,
  operationsOf,
  type Parameter,
  type Response,
} from './reference-document.ts'
import { exampleOf, payloadExamples, requestOf, responseExamples } from './reference-examples.ts'
import { schemaRows, typeText } from './reference-schema.ts'

export type Html = ReturnType<typeof html>

export type Reference = {
  /** The operations, by subject, for the navigation. */
  contents: { name: string; links: { href: string; text: string }[] }[]
  content: Html
}

/** Explains headers of nearly every response once. */
const headerId = (name: string) => `header-${name.toLowerCase()}`

export async function readReference(file: string, intro: Html): Promise<Reference> {
  const document = JSON.parse(await readFile(file, 'utf8')) as Document
  const subjects = document.tags.map(({ name, description }) => ({
    name,
    description,
    operations: operationsOf(document).filter(({ tags }) => tags[0] === name),
  }))
  const isEvent = ({ method }: Operation) => method === 'event'
  const events = operationsOf(document).filter(isEvent)
  const contents = [
    ...subjects.map(({ name, operations }) => ({
      name,
      links: operations
        .filter((operation) => !isEvent(operation))
        .map(({ operationId, summary }) => ({ href: `#${operationId}`, text: summary.replaceAll('`', '') })),
    })),
    ...(events.length > 0
      ? [
          {
            name: 'Webhook events',
            links: events.map(({ operationId, path }) => ({ href: `#${operationId}`, text: path })),
          },
        ]
      : []),
    {
      name: 'Schemas',
      links: Object.keys(document.components.schemas).map((name) => ({ href: `#${name}`, text: name })),
    },
  ]
  return {
    contents,
    content: html`${intro}
<p>${raw(inlineHtml(document.info.description))} See also the <a href="#headers">response headers</a> and the
<a href="#schemas">schemas</a>, or download <a href="${document.servers[0]?.url}/openapi.json">openapi.json</a>.</p>
${subjects.map(
  ({ name, description, operations }) => html`<section class="subject" aria-labelledby="${subjectId(name)}">
<h2 id="${subjectId(name)}">${name}</h2>
<p>${raw(inlineHtml(description))}</p>
${operations.map((operation) => operationSection(document, operation))}
</section>`,
)}
${headersSection(document)}
${schemasSection(document)}`,
  }
}

/** An operation may have the same name as its subject. */
const subjectId = (name: string) => `about-${name.toLowerCase().replaceAll(' ', '-')}`

function operationSection(document: Document, operation: Operation): Html {
  const {
    operationId,
    summary,
    description,
    method,
    path,
    parameters = [],
    requestBody,
    deprecated,
  } = operation
  const places = ['path', 'query', 'header'] as const
  const isEvent = method === 'event'
  return html`<article class="operation" id="${operationId}">
<div><h3><a href="#${operationId}">${raw(inlineHtml(summary))}</a></h3>
<p class="route"><span class="badge ${method}">${isEvent ? 'Event' : method.toUpperCase()}</span> <code>${path}</code>
${deprecated && html` <span class="badge warning">Deprecated</span>`}</p>
${description && html`<p>${raw(inlineHtml(description))}</p>`}</div>
<div class="examples">${isEvent ? payloadExamples(operation) : [requestOf(document, operation), responseExamples(operation)]}</div>
<div>${places.map((place) => parametersTable(place, parameters))}
${requestBody && bodySection(requestBody.content, isEvent ? 'Payload' : 'Body')}
<h4>${isEvent ? 'Your response' : 'Responses'}</h4>
${Object.entries(operation.responses).map(([status, response]) => answer(status, response))}
</div></article>`
}

const PLACES = { path: 'Path parameters', query: 'Query parameters', header: 'Headers' }

function parametersTable(place: keyof typeof PLACES, all: Parameter[]): Html | '' {
  const parameters = all.filter((parameter) => parameter.in === place)
  if (parameters.length === 0) return ''
  const title = PLACES[place]
  return html`<h4>${title}</h4>
<table class="names">
${parameters.map(
  ({
    name,
    required,
    description,
    schema,
    deprecated,
  }) => html`<tr><th scope="row"><code>${name}</code>${required && place === 'query' && html` <span class="muted">required</span>`}${deprecated && html` <span class="muted">deprecated</span>`}</th>
<td><p class="type">${raw(typeText(schema))}</p>${description && html`<p>${raw(inlineHtml(description))}</p>`}</td></tr>
`,
)}</table>`
}

type Content = NonNullable<Response['content']>

function bodySection(content: Content, title: string): Html {
  return html`<h4>${title}</h4>
${Object.entries(content).map(
  ([type, { schema }]) => html`${type !== 'application/json' && html`<p class="type">${type}</p>`}
${schema && shape(schema)}`,
)}`
}

/** The properties, or only the type if it has none. */
function shape(schema: Parameters<typeof typeText>[0]): Html {
  const rows = schema.$ref ? [] : schemaRows(schema)
  if (rows.length === 0) return html`<p class="type">${raw(typeText(schema))}</p>`
  return html`<table class="names">
${rows.map(
  ({
    name,
    type,
    isRequired,
    description,
  }) => html`<tr><th scope="row"><code>${name}</code>${!isRequired && html` <span class="muted">optional</span>`}</th>
<td><p class="type">${raw(type)}</p>${description && html`<p>${raw(inlineHtml(description))}</p>`}</td></tr>
`,
)}</table>`
}

function answer(status: string, { description, headers = {}, content = {} }: Response): Html {
  const names = Object.keys(headers)
  const hasMore = names.length > 0 || Object.keys(content).length > 0
  const summary = html`<strong class="${status.startsWith('2') ? 'good' : ''}">${status}</strong> ${raw(inlineHtml(description))}`
  if (!hasMore) return html`<p class="answer">${summary}</p>`
  return html`<details class="answer"><summary>${summary}</summary>
${Object.entries(content).map(
  ([
    type,
    { schema, example },
  ]) => html`<p class="type">${type}${schema && html`: ${raw(typeText(schema))}`}</p>
${schema && !schema.$ref && schemaRows(schema).length > 0 && shape(schema)}
${example !== undefined && !status.startsWith('2') && exampleOf(example, type, `${status} response`)}`,
)}
${names.length > 0 && html`<p class="muted">Headers: ${names.map((name, at) => html`${at > 0 && ', '}<a href="#${headerId(name)}">${name}</a>`)}</p>`}
</details>`
}

/** Each response header, with its first description. */
function headersSection(document: Document): Html {
  const all = operationsOf(document).flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ headers = {} }) => Object.entries(headers)),
  )
  const first = new Map(all.toReversed())
  return html`<section class="subject" aria-labelledby="headers">
<h2 id="headers">Response headers</h2>
<table class="names">
${[...first]
  .toSorted(([a], [b]) => a.localeCompare(b))
  .map(
    ([
      name,
      { description, schema, example },
    ]) => html`<tr id="${headerId(name)}"><th scope="row"><code>${name}</code></th>
<td><p class="type">${raw(typeText(schema))}${example !== undefined && html`, such as <code>${String(example)}</code>`}</p><p>${raw(inlineHtml(description))}</p></td></tr>
`,
  )}</table></section>`
}

function schemasSection(document: Document): Html {
  return html`<section class="subject" aria-labelledby="schemas">
<h2 id="schemas">Schemas</h2>
<p>The objects in requests and responses.</p>
${Object.entries(document.components.schemas).map(
  ([name, schema]) => html`<article class="operation" id="${name}"><h3><a href="#${name}">${name}</a></h3>
${schema.description && html`<p>${raw(inlineHtml(schema.description))}</p>`}
${shape(schema)}</article>
`,
)}</section>`
}
