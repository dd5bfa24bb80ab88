/** A tool, as `npm run generate` writes it from the table of tools and the OpenAPI documents. */
import type { Role } from '../../src/core/actor.ts'
import type { RequiredAccess } from '../http/api-key.ts'

/** As `tools/list` has it. */
type Tool = {
  name: string
  title: string
  description: string
  inputSchema: {
    type: 'object'
    properties: Record<string, object>
    required: string[]
    additionalProperties: false
  }
  annotations: {
    readOnlyHint: boolean
    destructiveHint: boolean
    idempotentHint: boolean
    openWorldHint: boolean
  }
}

/** What is called: arguments are parameters of its path or query, and with `hasBody` all others are members of its body. */
type ToolRequest = {
  method: string
  /** Such as `/api/v1/sites/{siteId}/posts`. */
  path: string
  query: string[]
  hasBody: boolean
  /** Parameters of the query where they are not given. */
  preset: Record<string, string>
}

/** What is made of an answer. Without `markdown` it stays as it is. */
export type ToolAnswer = {
  /** The member that is the article; '' if it is the whole. */
  markdown?: string
  /** Members that the items of a list, or an article above its Markdown, are told without. */
  without?: string[]
}

export type ToolOf<Needs> = { tool: Tool; needs: Needs; request: ToolRequest; answer: ToolAnswer }

/** The file, by credential. */
export type Tools = { key: ToolOf<RequiredAccess>[]; operator: ToolOf<Role>[] }
export type AnyTool = ToolOf<unknown>
