import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { backupStatusQuery } from '../../data/backup-reports.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'

/** When all data of the backups of a device was read last, and how far it is read anew. */
export function ReadingProgress({ deviceId }: { deviceId: string }) {
  const { data } = useQuery(backupStatusQuery(deviceId))
  if (!data || (data.lastSuccessAt === null && data.allDataReadAt === null)) return null
  const { allDataReadAt, dataReading } = data
  return (
    <Text size="sm" c="dimmed" mb="xs" component="div">
      All data last read: <RelativeTime isPast at={allDataReadAt} never="not yet" />
      {dataReading && (
        <>
          . Read at night, a part at a time: part {dataReading.part} of {dataReading.parts},{' '}
          <RelativeTime isPast at={dataReading.readAt} />
        </>
      )}
      .
    </Text>
  )
}
