/** A shared report that is on, as visitors may know it: of a link or of a tag. */
export interface SharedReport {
  id: string
  link_id: string | null
  tag_id: string | null
  short_code: string | null
  /** The name of the tag. */
  tag: string | null
  /** The owner's words; null: those of a link without a title. */
  title: string | null
  /** A name that the owner shows. */
  shown_name: string | null
  /** IANA name. */
  zone: string
  password_hash: string | null
  password_version: string | null
}
