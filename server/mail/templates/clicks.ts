import { z } from 'zod'
import { routes } from '#domain/routes.ts'
import { formatNumber } from '#domain/texts/catalog.ts'
import { template } from './template.ts'

const count = z.int().min(0)
const linkClicks = z.object({ code: z.string().max(320), clicks: count })

/** Emails about clicks and destinations, which their reader has turned on. */
export const clickTemplates = {
  /** A link was clicked for the first time, or that many times. */
  'click-milestone': template(
    linkClicks,
    ({ data: { code, clicks }, texts: { 'click-milestone': texts } }) => {
      const title = clicks === 1 ? texts.first({ code }) : texts.passed({ code, count: clicks })
      return {
        subject: title,
        title,
        parts: [
          texts.intro(),
          { button: texts.openPage(), to: routes.link.href({ code }) },
          texts.why(),
          { button: texts.openSettings(), to: routes.settings.path },
        ],
      }
    },
  ),
  /** Summary of the week that ended on Sunday. */
  'weekly-summary': template(
    z.object({
      clicks: count,
      before: count,
      visitors: count,
      busiest: z.array(linkClicks).max(5),
    }),
    ({ data, texts: { 'weekly-summary': texts }, language }) => ({
      subject: texts.subject({ count: data.clicks }),
      title: texts.title({ count: data.clicks }),
      parts: [
        {
          facts: [
            [texts.clicks(), formatNumber(data.clicks, language)],
            [texts.before(), formatNumber(data.before, language)],
            [texts.visitors(), formatNumber(data.visitors, language)],
          ],
        },
        {
          facts: data.busiest.map(({ code, clicks }): [string, string] => [
            code.includes('/') ? code : `/${code}`,
            formatNumber(clicks, language),
          ]),
        },
        { button: texts.seeFigures(), to: routes.analytics.path },
        texts.why(),
        { button: texts.openSettings(), to: routes.settings.path },
      ],
    }),
  ),
  /** Findings at the destinations of links, each Monday. */
  'link-health': template(
    z.object({ dead: count, moved: count, certificate: count }),
    ({ data: { dead, moved, certificate }, texts: { 'link-health': texts }, language }) => {
      const links = dead + moved + certificate
      const facts: [string, number][] = [
        [texts.dead(), dead],
        [texts.moved(), moved],
        [texts.certificate(), certificate],
      ]
      return {
        subject: texts.subject({ count: links }),
        title: texts.title({ count: links }),
        parts: [
          {
            facts: facts
              .filter(([, number]) => number > 0)
              .map(([name, number]): [string, string] => [name, formatNumber(number, language)]),
          },
          { button: texts.seeLinks(), to: routes.linkHealth.path },
          texts.why(),
          { button: texts.openSettings(), to: routes.settings.path },
        ],
      }
    },
  ),
}
