import { VisuallyHidden } from '@mantine/core'
import { type CSSProperties, Fragment, useMemo } from 'react'
import type { BackupRetention, BackupSchedule } from '../../../shared/backup-plan.ts'
import classes from './retention-picture.module.css'
import { agesAfter, agesWords } from './retention-picture.ts'

const moments = [
  { label: 'After a week', days: 7 },
  { label: 'After a month', days: 30 },
  { label: 'After a year', days: 365 },
]

interface Props {
  retention: BackupRetention
  schedule: Pick<BackupSchedule, 'frequency' | 'dayOfWeek' | 'dayOfMonth'>
}

/** Which snapshots there will be: the first backup on the left, that day on the right. */
export function RetentionPicture({ retention, schedule }: Props) {
  const rows = useMemo(
    () => moments.map((moment) => ({ ...moment, ages: agesAfter(moment.days, retention, schedule, Date.now()) })),
    [retention, schedule],
  )
  return (
    <dl className={classes.rows} aria-label="Snapshots there will be">
      {rows.map(({ label, days, ages }) => (
        <Fragment key={label}>
          <dt className={classes.when}>{label}</dt>
          <dd className={classes.what}>
            <span className={classes.strip} style={stripOf(days)} aria-hidden>
              {ages.map((age) => (
                <span
                  key={age}
                  className={classes.snapshot}
                  style={{ insetInlineStart: `${((days - age) / (days + 1)) * 100}%` }}
                />
              ))}
            </span>
            {agesWords(ages)}
            <VisuallyHidden>.</VisuallyHidden>
          </dd>
        </Fragment>
      ))}
    </dl>
  )
}

const stripOf = (days: number): CSSProperties & Record<'--day', string> => ({ '--day': `${100 / (days + 1)}%` })
