import { Button, FileButton, Group, Stack, Textarea } from '@mantine/core'
import { IconFileTypeCsv } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { plural } from '../../../lib/format.ts'
import { DropZone } from '../../../ui/drop-zone.tsx'
import { FormError } from '../../../ui/form-error.tsx'
import { readSheet, type Sheet, sheetFrom } from './sheet.ts'
import type { ImportWizard } from './use-import-wizard.ts'

type Source = { file: File } | { text: string }

export function FileStep({ wizard }: { wizard: ImportWizard }) {
  const { pasted, setPasted, takeSheet } = wizard
  const read = useMutation({
    mutationFn: async (source: Source): Promise<Sheet> =>
      'file' in source ? readSheet(source.file) : sheetFrom(source.text, 'Pasted rows'),
    onSuccess: takeSheet,
  })
  const take = (file: File | null | undefined) => file && read.mutate({ file })
  return (
    <Stack>
      <FormError error={read.error} />
      <DropZone
        label="File"
        Icon={IconFileTypeCsv}
        hint="Drop a file here, or choose one."
        onDrop={([file]) => take(file)}
      >
        <FileButton
          onChange={take}
          accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain"
          inputProps={{ 'aria-label': 'Contacts file' }}
        >
          {(props) => (
            <Button variant="default" loading={read.isPending} {...props}>
              Choose file
            </Button>
          )}
        </FileButton>
      </DropZone>
      <Textarea
        label="Or paste rows"
        description="Copied from a spreadsheet, including the header row."
        autosize
        minRows={3}
        maxRows={10}
        classNames={{ input: 'mono' }}
        value={pasted}
        onChange={(event) => setPasted(event.currentTarget.value)}
      />
      <Group justify="space-between">
        {wizard.hasSheet ? (
          <Button variant="default" onClick={wizard.next}>
            Continue with {wizard.sheet.name} ({plural(wizard.sheet.rows.length, 'row')})
          </Button>
        ) : (
          <span />
        )}
        {pasted.trim() !== '' && (
          <Button onClick={() => read.mutate({ text: pasted })} loading={read.isPending}>
            Use these rows
          </Button>
        )}
      </Group>
    </Stack>
  )
}
