/** ` by Ada`, or nothing if unknown. */
export function By({ name }: { name: string | null | undefined }) {
  return name ? (
    <>
      {' '}
      by <bdi>{name}</bdi>
    </>
  ) : null
}
