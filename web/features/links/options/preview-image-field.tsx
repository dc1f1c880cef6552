import { useRef } from 'react'
import { ImageUpload } from '#web/image-upload.tsx'
import { Field } from '#web/ui/field.tsx'

interface PreviewImageFieldProps {
  name: string
  value: string
  onChange: (value: string) => void
  error: string | undefined
}

/** The picture of a preview: an address, or an upload. */
export function PreviewImageField({ name, value, onChange, error }: PreviewImageFieldProps) {
  const upload = useRef<HTMLButtonElement>(null)
  return (
    <div className="grid gap-2">
      <Field
        label="Preview image"
        name={name}
        inputMode="url"
        kind="verbatim"
        placeholder="https://example.com/picture.png"
        value={value}
        onChange={({ target }) => onChange(target.value)}
        error={error}
      />
      <div className="justify-self-start">
        <ImageUpload ref={upload} label="Upload image" onUploaded={onChange} />
      </div>
    </div>
  )
}
