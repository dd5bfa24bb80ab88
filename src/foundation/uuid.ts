/** Our ids, in lower case, as Postgres writes them. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The id of nothing. */
export const NO_ID = '00000000-0000-0000-0000-000000000000'
