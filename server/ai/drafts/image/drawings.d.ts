/** Made by scripts/pictures/drawings.mjs when the server is built or loaded. */
declare module '*?drawings' {
  const drawings: {
    /** Of each language: a name of a thing and its drawing. */
    names: Record<string, [name: string, drawing: string][]>
    /** The drawings, each as the inside of a 32 by 32 SVG. */
    icons: Record<string, string>
  }
  export default drawings
}
