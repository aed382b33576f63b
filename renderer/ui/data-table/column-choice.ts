import { useLocalStorage } from '@mantine/hooks'
import type { Column } from './column.tsx'

type Hideable = Pick<Column<never>, 'id' | 'isFixed'>

/** The columns without those the user has hidden; a column that cannot be hidden stays whatever is stored. */
export const withoutHidden = <Of extends Hideable>(columns: readonly Of[], hidden: readonly string[]): Of[] =>
  columns.filter(({ id, isFixed }) => isFixed || !hidden.includes(id))

/** Columns of other versions, which are stored too, stay as they are. */
export const withColumn = (hidden: readonly string[], id: string, isShown: boolean): string[] =>
  isShown ? hidden.filter((one) => one !== id) : [...new Set([...hidden, id])]

/** What another version or a person has stored may be anything. */
export function readHidden(text: string | undefined): string[] {
  try {
    const stored: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}

/** The columns of a table that are hidden in this browser. */
export const useHiddenColumns = (table: string) =>
  useLocalStorage<string[]>({
    key: `homeport.columns.${table}`,
    defaultValue: [],
    getInitialValueInEffect: false,
    deserialize: readHidden,
  })
