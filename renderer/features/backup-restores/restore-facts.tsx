import { Code, List, Text } from '@mantine/core'
import type { RestoreJob } from '../../../shared/api/backup-restores.ts'
import { existingWords, targetWords } from '../../domain/backup-restores/restore-words.ts'
import { bytes, count, duration, exactTime, plural } from '../../lib/format.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'

const shownPaths = 20

interface Props {
  restore: RestoreJob
  isSnapshotThere: boolean
}

export function RestoreFacts({ restore, isSnapshotThere }: Props) {
  const {
    snapshotId,
    snapshotTakenAt,
    selectedPaths,
    createdAt,
    startedAt,
    completedAt,
    expectedFiles,
    expectedBytes,
    resultDetails,
  } = restore
  const warnings = resultDetails?.warnings ?? []
  return (
    <Panel title="Details">
      <Facts>
        <Fact name="Snapshot">
          {isSnapshotThere && snapshotId !== null ? (
            <TextLink to="/backup/snapshots/$snapshotId" params={{ snapshotId }} size="sm">
              {exactTime(snapshotTakenAt)}
            </TextLink>
          ) : (
            exactTime(snapshotTakenAt)
          )}
        </Fact>
        <Fact name="What">
          {selectedPaths.length === 0 ? (
            'Everything'
          ) : (
            <List size="sm" listStyleType="none">
              {selectedPaths.slice(0, shownPaths).map((path) => (
                <List.Item key={path} className="mono" style={{ overflowWrap: 'anywhere' }}>
                  {path}
                </List.Item>
              ))}
              {selectedPaths.length > shownPaths && (
                <List.Item>{`${count(selectedPaths.length - shownPaths)} more`}</List.Item>
              )}
            </List>
          )}
        </Fact>
        <Fact name="Expected">
          {expectedFiles !== null && `${plural(expectedFiles, 'file')}, ${bytes(expectedBytes)}`}
        </Fact>
        <Fact name="To">{targetWords(restore)}</Fact>
        {(restore.inPlace || restore.targetPath !== null) && (
          <Fact name="Existing files">{existingWords[restore.existing]}</Fact>
        )}
        <Fact name="Requested">{exactTime(createdAt)}</Fact>
        <Fact name="Started">{startedAt && exactTime(startedAt)}</Fact>
        <Fact name="Ended">{completedAt && exactTime(completedAt)}</Fact>
        {startedAt && completedAt && (
          <Fact name="Duration">{duration(Date.parse(completedAt) - Date.parse(startedAt))}</Fact>
        )}
        {resultDetails?.error && restore.status !== 'cancelled' && (
          <Fact name="Message">
            <Code block style={{ whiteSpace: 'pre-wrap' }}>
              {resultDetails.error}
            </Code>
          </Fact>
        )}
        {warnings.length > 0 && (
          <Fact name="Warnings">
            {warnings.map((warning) => (
              <Text key={warning} size="sm">
                {warning}
              </Text>
            ))}
          </Fact>
        )}
      </Facts>
    </Panel>
  )
}
