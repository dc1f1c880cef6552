import { inject } from 'vitest'
import type { Catalog } from '#server/tables/catalog/catalog.ts'

const { relations, functions, foreignKeys } = inject('catalog')

/** The relations and functions of the schema `api`, as the table door reads them. */
export const apiCatalog: Catalog = {
  relations: new Map(relations.map((relation) => [relation.name, relation])),
  functions: new Map(functions.map((known) => [known.name, known])),
  overloaded: new Set(),
  foreignKeys,
}
