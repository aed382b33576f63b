import { Button, FileButton, Group, Stack, Text, Textarea } from '@mantine/core'
import { IconFileTypeCsv } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { type DragEvent, useState } from 'react'
import { plural } from '../../../lib/format.ts'
import { FormError } from '../../../ui/form-error.tsx'
import classes from './file-step.module.css'
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
      <DropZone onFile={take} isBusy={read.isPending} />
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

function DropZone({ onFile, isBusy }: { onFile: (file: File | null | undefined) => void; isBusy: boolean }) {
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    onFile(event.dataTransfer.files[0])
  }
  const over = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  return (
    <section
      className={classes.drop}
      aria-label="File"
      data-over={isOver || undefined}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <IconFileTypeCsv size={34} stroke={1.3} aria-hidden />
      <Text size="sm">Drop a file here, or choose one.</Text>
      <FileButton
        onChange={onFile}
        accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain"
        inputProps={{ 'aria-label': 'Contacts file' }}
      >
        {(props) => (
          <Button variant="default" loading={isBusy} {...props}>
            Choose file
          </Button>
        )}
      </FileButton>
      <Text size="xs" c="dimmed">
        A .csv or .tsv file as exported by other systems. The first row must name the columns.
      </Text>
    </section>
  )
}
