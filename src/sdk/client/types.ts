import type { components, operations } from './openapi.ts'

type Schemas = components['schemas']

export type Post = Schemas['Post']
export type PartialPost = Schemas['PartialPost']
export type Guide = Schemas['Guide']
export type PostList = Schemas['PostListResponse']
export type PartialPostList = Schemas['PartialPostList']
export type GuideList = Schemas['GuideList']
export type Change = Schemas['Change']
export type ChangeList = Schemas['ChangeList']
export type PartialChangeList = Schemas['PartialChangeList']
export type Redirect = Schemas['Redirect']
export type RedirectList = Schemas['RedirectList']
export type TrainingRow = Schemas['TrainingRow']
export type WebhookTestResult = Schemas['WebhookTestResult']

/** `next` is `after` for the next page; null after the last. */
export type TrainingPage = { rows: TrainingRow[]; next: string | null }

export type CallOptions = { signal?: AbortSignal | undefined }

export type Query<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>
