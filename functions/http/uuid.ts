/** The form of our ids, lowercase as we write them; with another Postgres would refuse the query. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
