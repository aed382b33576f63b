import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { type DeviceExportInput, devicesFile } from '../../../data/several-devices.ts'
import { saveFile } from '../../../lib/clipboard.ts'
import { notifyDone, notifyFailed } from '../../../lib/notify.ts'

/** Saves devices as a CSV file; leaving the page cancels it. */
export function useDeviceExport() {
  const left = useRef<AbortController>(null)
  useEffect(() => () => left.current?.abort(), [])
  return useMutation({
    mutationFn: (wanted: DeviceExportInput) => {
      left.current = new AbortController()
      return devicesFile(wanted, left.current.signal)
    },
    onSuccess: (file) => {
      if (left.current?.signal.aborted) return
      saveFile(`devices-${new Date().toISOString().slice(0, 10)}.csv`, file)
      notifyDone('Devices exported')
    },
    onError: (error) => {
      if (!left.current?.signal.aborted) notifyFailed('The devices weren’t exported')(error)
    },
  })
}
