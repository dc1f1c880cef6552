import { popupNotices } from '#domain/texts/popup-texts.ts'
import { generateContent, generateDesign, generateImage } from './generate.ts'
import type { Generator } from './generator-card.tsx'

export const contentGenerator: Generator = {
  kind: 'content',
  title: 'AI Content',
  prompt: 'Describe your popup',
  example: 'A spring sale for a flower shop, 20% off until Sunday',
  action: 'Generate Content',
  generate: generateContent,
  missing: popupNotices.contentPromptMissing,
  done: popupNotices.contentGenerated,
  failed: popupNotices.contentFailed,
}

export const designGenerator: Generator = {
  kind: 'design',
  title: 'AI Design',
  prompt: 'Describe your design vision',
  example: 'Calm and natural, soft greens, rounded corners',
  action: 'Generate Design',
  generate: generateDesign,
  missing: popupNotices.designPromptMissing,
  done: popupNotices.designGenerated,
  failed: popupNotices.designFailed,
}

export const imageGenerator: Generator = {
  kind: 'image',
  title: 'AI Image',
  prompt: 'Describe the image',
  example: 'A bunch of tulips on a sunny table',
  action: 'Generate Image',
  generate: generateImage,
  missing: popupNotices.imagePromptMissing,
  done: popupNotices.imageGenerated,
  failed: popupNotices.imageFailed,
}
