/** The operations of an OpenAPI document in Markdown, for programs. */
import { readFile } from 'node:fs/promises'
import {
  type Document,
  type Operation,
  operationsOf,
  type Parameter,
  type Schema,
} from './reference-document.ts'

export async function referenceText(file: string): Promise<string> {
  const document: Document = JSON.parse(await readFile(file, 'utf8'))
  return operationsOf(document).map(describe).join('')
}

function describe(operation: Operation): string {
  const {
    method,
    path,
    operationId,
    summary,
    description,
    parameters = [],
    requestBody,
    responses,
  } = operation
  const sections = [
    `## ${method.toUpperCase()} ${path}`,
    `${summary} (\`${operationId}\`).`,
    description,
    parameters.map(describeParameter).join('\n'),
    requestBody && `Body: ${Object.entries(requestBody.content).map(describeContent).join(' or ')}`,
    Object.entries(responses)
      .map(([status, { description, content = {} }]) =>
        [`- ${status}: ${description}`, ...Object.entries(content).map(describeContent)].join('; '),
      )
      .join('\n'),
  ]
  return `\n${sections.filter(Boolean).join('\n\n')}\n`
}

function describeParameter({ name, in: where, required, description = '', schema }: Parameter): string {
  const words = [where, required ? 'required' : 'optional', ...describeRules(schema)]
  return `- \`${name}\` (${words.join(', ')}): ${description.replaceAll('\n', ' ')}`
}

const describeRules = ({ type, format, enum: values, minimum, maximum, maxLength }: Schema): string[] =>
  [
    type && String(type),
    format,
    values && `one of ${values.join(', ')}`,
    minimum !== undefined && `from ${minimum}`,
    maximum !== undefined && `up to ${maximum}`,
    maxLength !== undefined && `at most ${maxLength} characters`,
  ].filter((rule) => typeof rule === 'string')

function describeContent([type, { schema }]: [string, { schema?: Schema }]): string {
  const names = [schema, ...(schema?.anyOf ?? [])].flatMap((each) => each?.$ref?.split('/').at(-1) ?? [])
  return names.length > 0 ? `${type} of ${names.join(' or ')}` : type
}
