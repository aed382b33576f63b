import { Button, Group, SimpleGrid, TextInput } from '@mantine/core'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { columnFor, type Mapping } from './column-mapping.ts'
import type { Target } from './import-fields.ts'
import type { Sheet } from './sheet.ts'

interface Props {
  /** Index of the row in the file. */
  index: number
  sheet: Sheet
  mapping: Mapping
  /** The field with the error, which gets the focus. */
  field: Target | null
  onSave: (cells: string[]) => void
  onClose: () => void
}

/** Edits the imported cells of a row. */
export function RowEditor({ index, sheet, mapping, field, onSave, onClose }: Props) {
  const old = sheet.rows[index]?.cells ?? []
  const [cells, setCells] = useState(() => sheet.columns.map((_, column) => old[column] ?? ''))
  const columns = mapping.targets.flatMap((target, column) =>
    target && !(target === 'organization' && mapping.isOneOrganization) ? [column] : [],
  )
  const wrong = field ? columnFor(field, mapping) : -1
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const save = (event: FormEvent) => {
    event.preventDefault()
    onSave(cells)
  }
  return (
    <form onSubmit={save} onKeyDown={(event) => event.key === 'Escape' && onClose()} noValidate>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="xs" verticalSpacing={6}>
        {columns.map((column) => (
          <TextInput
            key={column}
            ref={column === (wrong === -1 ? columns[0] : wrong) ? first : undefined}
            label={sheet.columns[column]}
            size="xs"
            value={cells[column]}
            onChange={({ currentTarget }) => setCells((now) => now.with(column, currentTarget.value))}
          />
        ))}
      </SimpleGrid>
      <Group gap="xs" mt="xs">
        <Button type="submit" size="xs">
          Save row
        </Button>
        <Button variant="default" size="xs" onClick={onClose}>
          Cancel
        </Button>
      </Group>
    </form>
  )
}
