"""The words of greetings, thanks and questions about ourselves: nothing to save or to look up. Data only."""

from __future__ import annotations

from planning.terms import BilingualTerms

SMALL_TALK = BilingualTerms(
    zh="你好呀?|您好|大家好|嗨|哈[喽啰罗]|早上好|上午好|中午好|下午好|晚上好|早安|午安|晚安|早|在吗|在不在"
    "|在么|谢谢|谢啦|多谢|感谢|谢|辛苦|好的|好滴|好哒|好呢|好嘞|好吧|好|行|可以"
    "|(?:不太?|没太?)?(?:明白|懂)|知道|了解|收到|嗯+|哦+|噢+|呵+|嘿+|哈+|嘻+|额+|呃+|啊+|再见|拜拜|回见|没事"
    "|没有?(?:别的|其他|其它|什么)(?:事|问题)?"
    "|没问题|不用|不客气|算了|棒|太好|厉害|不错|赞|牛|对的?|是的|没错|测试|帮助|你是谁|抱歉|不好意思|对不起"
    "|打扰|麻烦|劳烦|[哎唉咦诶]+|妥|加油|佩服|(?:节日|新年|春节|生日|周末|假期)(?:快乐|愉快)|(?:明天|下次"
    "|回头)见|(?:下次|回头|改天)?再聊|(?:今天|先|那)?就?(?:到这儿?|到这里|这样)吧?"
    "|你叫(?:什么|啥|做什么)(?:名字|名儿)?|怎么称呼你|你(?:有名字|有没有名字)"
    "|你(?:能|会|可以)(?:做|干|帮我做?)?(?:些)?(?:什么|啥|嘛)|(?:怎么|如何)使?用你"
    "|你是(?:不是)?(?:(?:个|一个)?(?:真人|人类|人|机器人|机器|人工智能|ai|程序)|什么|谁做的|谁开发的)"
    "|(?:还是|或者?)(?:个|一个|真)?(?:真人|人类|机器人?|人|程序|ai)|真的(?:吗|么|假的|呀|啊)|当真|是真的"
    "|你(?:会|能|懂)(?:说|讲|听)?(?:得?懂)?(?:哪[些几][种门]?|几[种门]|什么)(?:语言|话)"
    "|是吗|是么|不会吧|这样啊|原来(?:如此|是这样)"
    "|有人|很?高兴(?:认识|见到)你",
    en="evening|afternoon|nvm|idk"
    "|hi+|hello+|hey+|hiya|heya|(?:much )?appreciated?|howdy|greetings|good (?:morning|afternoon|evening|night"
    "|day)|morning|thanks|thank you"
    "|thank u|thx|ty|cheers|ok+|okay|kk?|cool|great"
    "|nice|perfect|awesome|excellent|wonderful|good|fine|sure|yes|yep|yeah|yup|no|nope|nah|got it|i see"
    "|understood|alright|right|bye+|goodbye|see you|see ya"
    "|see you (?:tomorrow|later|soon|then|around|next (?:time|week)|on [a-z]+day)|tomorrow|later|never ?mind"
    "|(?:i )?found (?:it|the answer)|talk (?:to you )?(?:later|soon)|(?:that was |so |very )?helpful"
    "|(?:no )?nothing else|(?:great|good|nice) answer|so long|very well|no"
    " problem|no worries|welcome|lol|lmao|haha+|hehe+|hmm+|huh|wow|oh|ah|um+|test|testing"
    "|help|sorry|that's all|that is all|that's it"
    "|who (?:made|built|created|trained|wrote) you|who are you|do you have a name|really|seriously|for real|no way"
    "|are you (?:an? |really )?(?:real|human|person|people|robot|bot|machine|ai|chatbot|program|computer"
    "|real person|human being|artificial intelligence)"
    "|or (?:an? )?(?:robot|bot|machine|human|person|real person|human being|ai|program|computer|chatbot)"
    "|(?:what|which|how many) languages (?:do|can) you (?:speak|understand|know|read)"
    "|what are you|what's your name|what is your name|what can you do|what do you do"
    "|how are you(?: doing)?|how's it going|what's up|sup|are you there"
    "|anyone there|well done|(?:nice|pleased|glad|good) to (?:meet|see) you|(?:good|great|nice) (?:job|work|one)"
    "|gotcha|roger(?: that)?|noted|will do|fair enough|ta|brilliant|lovely|amazing|fantastic|congrats|take care"
    "|omg|ugh|meh|whatever|anyway|have a (?:nice|good|great) (?:day|one|weekend|evening)|yo|done|please|pls"
    "|nm|np|ping|hola|you rock|(?:you're|you are) (?:great|awesome|the best|a (?:star|legend|lifesaver))",
)
SMALL_TALK_FILL = BilingualTerms(
    zh="的|了|吧|呢|吗|啊|呀|哦|哈|嘛|啦|哇|哟|喔|请问|你|您|我|们|很|非常|太|真|都|就|先|这样|那|一下|请|大家"
    "|朋友|机器人|助手|老师|医生|同学|先生|女士|师傅|老板|领导|亲|各位|也|今天|吗|今|再|见",
    en="a|lot|lots|bunch|ton|million|so|very|much|for|your|you|help|again|all|that|that's|this|is|was|it|there"
    "|everyone|guys"
    "|friend|friends|mate|folks|sir|team|bot|assistant|my|dear|now|today|everybody"
    "|to|me|i|am|and|helps|helped|the|just|one|do|have|day|time|really|helpful",
)
