import { Button, Checkbox, Modal, Radio, Stack, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { type ExportFormat, exportEvents } from '../../data/audit-export.ts'
import { countQuery, type LogFilters } from '../../data/audit-log.ts'
import { saveFile } from '../../lib/clipboard.ts'
import { bytes, plural } from '../../lib/format.ts'
import { notifyDone } from '../../lib/notify.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'

interface Props {
  /** Includes `to`: the time of the newest event shown. */
  filters: LogFilters
  isFiltered: boolean
}

/** Events that arrive while the dialog is open are not exported, so that the file holds as many as the dialog says. */
export function ExportButton({ filters, isFiltered }: Props) {
  const [chosen, setChosen] = useState<LogFilters | null>(null)
  const close = () => setChosen(null)
  return (
    <>
      <Button variant="default" leftSection={<IconDownload size={16} />} onClick={() => setChosen(filters)}>
        Export…
      </Button>
      <Modal opened={chosen !== null} onClose={close} title="Export events">
        {chosen && <ExportForm filters={chosen} isFiltered={isFiltered} onDone={close} />}
      </Modal>
    </>
  )
}

function ExportForm({ filters, isFiltered, onDone }: Props & { onDone: () => void }) {
  const [format, setFormat] = useState<ExportFormat>('csv')
  const [includeDetails, setDetails] = useState(true)
  const total = useQuery(countQuery(filters, undefined)).data
  const { run, received } = useExport(onDone)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!run.isPending) run.mutate({ filters, format, includeDetails })
  }
  return (
    <DialogForm
      saving={{ error: run.error, isPending: run.isPending, submit }}
      action="Export"
      otherwise={
        run.isPending &&
        received > 0 && <Text size="sm" c="dimmed" className="nums">{`${bytes(received)} so far`}</Text>
      }
    >
      <Text size="sm" role="status">
        {total === undefined ? 'Counting events…' : `Exports ${plural(total, 'event')}`}
        {total !== undefined && (isFiltered ? ': those that match your filters.' : ': everything you can see.')}
      </Text>
      <Radio.Group label="Format" value={format} onChange={(next) => setFormat(next as ExportFormat)}>
        <Stack gap="xs" mt={6}>
          <Radio value="csv" label="CSV, for a spreadsheet" />
          <Radio value="json" label="JSON, for other programs" />
        </Stack>
      </Radio.Group>
      <Checkbox
        label="Include details of each event"
        checked={includeDetails}
        onChange={({ currentTarget }) => setDetails(currentTarget.checked)}
      />
      <Text size="sm" c="dimmed">
        The export itself is recorded in the log, too.
      </Text>
    </DialogForm>
  )
}

/** Closing the dialog cancels the export. */
function useExport(onDone: () => void) {
  const [received, setReceived] = useState(0)
  const left = useRef<AbortController>(null)
  useEffect(() => () => left.current?.abort(), [])
  const run = useMutation({
    mutationFn: (options: Parameters<typeof exportEvents>[0]) => {
      left.current = new AbortController()
      setReceived(0)
      return exportEvents(options, left.current.signal, setReceived)
    },
    onSuccess: (file, { format }) => {
      if (left.current?.signal.aborted) return
      saveFile(`audit-log-${new Date().toISOString().slice(0, 10)}.${format}`, file)
      notifyDone('Events exported')
      onDone()
    },
  })
  return { run, received }
}
