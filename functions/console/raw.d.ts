/** Files that are imported as their text. */
declare module '*?raw' {
  const text: string
  export default text
}
