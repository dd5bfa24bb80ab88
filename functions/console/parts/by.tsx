/** Who has done something: ` by Ada`; nothing where that is not known. */
export function By({ name }: { name: string | null | undefined }) {
  return name ? (
    <>
      {' '}
      by <bdi>{name}</bdi>
    </>
  ) : null
}
