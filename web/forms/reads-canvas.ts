const sidePixels = 8
const known = [64, 128, 192, 255]
/** Some browsers change the last bits of a pixel, which nobody sees. */
const tolerance = 4

/** Whether this browser gives the pixels of a canvas as they were drawn. Those that resist fingerprinting give noise. */
export function readsCanvas(): boolean {
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = sidePixels
  const context = canvas.getContext('2d')
  if (context === null) return false
  context.fillStyle = `rgb(${known.slice(0, 3).join()})`
  context.fillRect(0, 0, sidePixels, sidePixels)
  const { data } = context.getImageData(0, 0, sidePixels, sidePixels)
  return data.every((value, i) => Math.abs(value - (known[i % 4] ?? 0)) <= tolerance)
}
