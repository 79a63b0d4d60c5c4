"""Words around a request that add nothing to it: politeness, the order of work, what stands beside command words."""

from __future__ import annotations

from planning.terms import BilingualTerms

LEAD = BilingualTerms(  # politeness and order of work before a command
    zh="请问|麻烦(?:你|您)?(?:们)?了?|拜托|劳驾|请(?!假|示|求|客|教|领)|帮我|帮忙|帮|给我|替我|为我|能不能"
    "|能否|可不可以|可以|可否|能|你|您|我们?|想要?|要|需要|希望|打算|(?:等|待)?(?:这些|都|全部)?(?:存|传|收"
    "|保存|入库|导入|上传|弄|搞|做)"
    "(?:好|完成?|完毕)(?:(?:了|之?后|以后)+|(?=[帮请再就给告]|$))|先|再|然后|接着|随后|最后|之后"
    "|现在|直接|顺便|同时|另外|还有|那么|那|好的?|嗯|就|都|也|去|来|并且?|立刻|马上|尽快|一下|下(?!载)|试试"
    "|将会?|统一|均|全部|对了|后|完|所以|但是?|不过",
    en="(?:would|will|is) it (?:be )?possible to|(?:is there )?any chance (?:that )?you (?:could|can|might)"
    "|(?:may|could|can|might) i ask you to|if you could|(?:would|could) you (?:be able|mind|please)(?: to)?"
    "|i'd appreciate it if you could|do me a favou?r(?: and|:|,)?|please|pls|plz|kindly|just|now|first|firstly"
    "|secondly|next|then|and|also|so|ok|okay|well|hi|hello|hey|thanks|thank you|but"
    "|can you|could you|would you|will you|can i|could i|may i|can we|could we|i want you to|i want to|i want"
    "|i'd like you to|i'd like to|i'd like"
    "|i'd prefer|i prefer|i'd rather"
    "|i would like you to|i would like to|i need you to|i need to|i need|let's|let us|let me|go ahead and"
    "|go ahead|help me to|help me|mind|do you mind"
    "|you can|you should|you may|make sure to|be sure to|be so kind(?: as)? to|kind enough to|after that"
    "|afterwards|finally|again|simply|quickly|directly|to|try to"
    "|i wish to|we want to|we need to|want to|need to|instead|alternatively|actually|maybe|possibly|lastly"
    "|time to"
    "|(?:once|when|after)"
    " (?:(?:that|this|it|everything) ?(?:is|'s|has been) |(?:you're|you are) )?"
    "(?:done|finished|saved|stored|indexed|ready|in)|when done|in addition|additionally",
)
AROUND = BilingualTerms(  # what may stand around command words without adding a subject
    zh="这次|这回|一遍|一次|一下子|一下|一些|进行|执行|完成|作为|当作|即可|就行|就好|就可以|可以|行|好|的话"
    "|谢谢|多谢|感谢|方式|方法|策略|模式|功能|格式|形式|来做|做|来|去|并|后|之后|以后|备用"
    "|以备|以便|方便|之间|相邻|左右|大约|大概|约"
    "|每|个|份|些|为|是|设|设置|设为|设成|指定|参数|使用|采用|利用|通过|按照|按着|依照|根据|改|换|调|长|大|小"
    "|细|粗|点|一点|版本?|新版?|旧版?|老版?|最新|统一|其他|其余|剩下|分别"
    "|各自|各|默认|原样|不变|内容|代码|结构"
    "|的|地|得|了|吧|呢|吗|啊|呀|哦|哈|嘛|把|将|用|按|以|到|在|从|进|入|里|中|内|上|下|和|与|及|跟|同|给|对|都"
    "|也|就|再|又|还|请|我|你|您|他|它|这|那|此|该|全|不|要|会"
    "|能|想|有|一|二|两|三|几|第|其|所",
    en="the|a|an|my|our|your|their|its|as|is|are|be|being|of|to|in|into|onto|on|at|by|with|using|use|via|through"
    "|from|for|and|or|but|each|per|every"
    "|again|anew|afresh|from scratch|now|later|please|pls|thanks|thank you|cheers|only|instead|too|also|then"
    "|first|next|once more|more|one"
    "|two|three|second|time|me|us|you|i"
    "|w/|w/o|away|(?:when|while) (?:you|i|we)"
    "|about|around|over|roughly|approximately|approx|should|set|keep|make|sure|let|want|needs?|needed|must|like"
    "|new|old|latest"
    "|current|same|style|style:|manner|strategy"
    "|mode|method|approach|splitter|config|settings?|option|long|large|big|small|no|not|than|exceed|exceeding"
    "|between|neighbou?ring|adjacent|consecutive"
    "|default|defaults|rest|others?|either|respectively|up|down|will|would|can|could|do|does|have|has|get|got"
    "|total|overall|altogether|there|here|as-is|as is|way|quick(?:ly)?|just|existing|apart|together|safe"
    "|reference|future",
)
