import { Button } from '@mantine/core'
import { useRef, useState } from 'react'
import type { PreparedRow } from './column-mapping.ts'
import { RowEditor } from './row-editor.tsx'
import { isImpossible, type RowVerdict } from './row-outcomes.ts'
import type { ImportWizard } from './use-import-wizard.ts'

/** Edits one row at a time in place; the focus returns to where it was opened. */
export function useRowEditing({ sheet, mapping, verdicts, correct }: ImportWizard) {
  const [open, setOpen] = useState<number | null>(null)
  const [touched, setTouched] = useState<ReadonlySet<number>>(new Set())
  const opener = useRef<HTMLButtonElement>(null)
  const close = () => {
    setOpen(null)
    opener.current?.focus()
  }
  const buttonFor = ({ index, number }: PreparedRow, verdict: RowVerdict | undefined) =>
    (touched.has(index) || (verdict && isImpossible(verdict))) && (
      <Button
        size="compact-xs"
        variant="default"
        mt={4}
        aria-label={`Edit row ${number}`}
        aria-expanded={open === index}
        onClick={(event) => {
          opener.current = event.currentTarget
          setTouched((old) => new Set(old).add(index))
          setOpen(open === index ? null : index)
        }}
      >
        Edit
      </Button>
    )
  const editor =
    open === null
      ? undefined
      : {
          index: open,
          node: (
            <RowEditor
              key={open}
              index={open}
              sheet={sheet}
              mapping={mapping}
              field={verdicts.get(open)?.field ?? null}
              onClose={close}
              onSave={(cells) => {
                correct(open, cells)
                close()
              }}
            />
          ),
        }
  const forget = () => {
    setOpen(null)
    setTouched(new Set())
  }
  return { buttonFor, editor, touched, forget }
}
