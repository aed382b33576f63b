import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { type ProtectionFilters, protectionFile } from '../../data/backup-reports.ts'
import { saveFile } from '../../lib/clipboard.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'

/** Saves the protection of devices as a CSV file; leaving the page cancels it. */
export function useProtectionExport() {
  const left = useRef<AbortController>(null)
  useEffect(() => () => left.current?.abort(), [])
  return useMutation({
    mutationFn: (wanted: ProtectionFilters) => {
      left.current = new AbortController()
      return protectionFile(wanted, left.current.signal)
    },
    onSuccess: (file) => {
      if (left.current?.signal.aborted) return
      saveFile(`backup-protection-${new Date().toISOString().slice(0, 10)}.csv`, file)
      notifyDone('Protection exported')
    },
    onError: (error) => {
      if (!left.current?.signal.aborted) notifyFailed('The protection of devices wasn’t exported')(error)
    },
  })
}
