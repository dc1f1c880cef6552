import { ChevronRight, Image, Sparkles, WandSparkles } from 'lucide-react'
import type { PopupDraft } from '#domain/popups/popup-form.ts'
import type { AiStatus } from '#domain/popups/popup-generated.ts'
import { generatorNotes } from '#domain/texts/popup-texts.ts'
import { type Generator, GeneratorCard } from './generator-card.tsx'
import { contentGenerator, designGenerator, imageGenerator } from './generators.ts'
import type { GeneratorKind, PopupEditorState } from './popup-editor-state.ts'
import { PopupPicture } from './popup-picture.tsx'

interface PartGeneratorsProps {
  state: PopupEditorState
  ai: AiStatus | null | undefined
  onGenerated: (kind: GeneratorKind, part: Partial<PopupDraft>) => void
  onUndo: (kind: GeneratorKind) => void
  onRemovePicture: () => void
}

/** A generator for each part alone: words, look or picture. */
export function PartGenerators(props: PartGeneratorsProps) {
  const { state, ai, onGenerated, onUndo, onRemovePicture } = props
  const generatorProps = (generator: Generator) => {
    const { kind } = generator
    return {
      generator,
      draft: state.draft,
      hint: hintFor(kind, ai),
      onGenerated: (part: Partial<PopupDraft>) => onGenerated(kind, part),
      onUndo: state.replaced[kind] && (() => onUndo(kind)),
    }
  }
  return (
    <details className="group">
      <summary className="flex min-h-11 list-none items-center gap-2 rounded-xl font-medium text-ink-soft hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight
          size={18}
          aria-hidden
          className="transition-transform duration-150 group-open:rotate-90"
        />
        Generate one part
      </summary>
      <div className="grid gap-6 pt-3">
        <GeneratorCard
          {...generatorProps(contentGenerator)}
          icon={<Sparkles size={20} aria-hidden />}
        />
        <GeneratorCard
          {...generatorProps(designGenerator)}
          icon={<WandSparkles size={20} aria-hidden />}
        />
        <GeneratorCard {...generatorProps(imageGenerator)} icon={<Image size={20} aria-hidden />}>
          {state.draft.image_url === null ? null : (
            <PopupPicture imageUrl={state.draft.image_url} onRemove={onRemovePicture} />
          )}
        </GeneratorCard>
      </div>
    </details>
  )
}

/** Undefined where an AI serves the card, and until the server has said whether one does. */
function hintFor(kind: GeneratorKind, ai: AiStatus | null | undefined): string | undefined {
  if (!ai) return undefined
  if (!ai.text) return generatorNotes.noAi
  return kind === 'image' && !ai.image ? generatorNotes.noImageAi : undefined
}
