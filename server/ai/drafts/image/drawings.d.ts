/** Made by scripts/pictures/drawings.mjs when the server is built or loaded. */
declare module '*?drawings' {
  const drawings: {
    /** Names of things with their drawings, by language. */
    names: Record<string, [name: string, drawing: string][]>
    /** The drawings, each as the inside of a 32 by 32 SVG. */
    icons: Record<string, string>
  }
  export default drawings
}
